/** Whether an accepted answer needs the guard, and what counts as an empty change (§9 `guard.empty_change`). */
import { newNodeRecord } from './run-state.ts';
import type { GuardRun, JournalBase } from '../agents/session.ts';
import type { Config, NodeRecord, Purpose, RunState } from '../types.ts';
import type { Judgement } from './verdict.ts';

export interface GuardPlanInput {
  readonly purpose: Purpose;
  readonly judgement: Judgement | null;
  readonly config: Config;
  readonly record: NodeRecord;
  readonly workTree: string;
  readonly dirtySubmodules: readonly string[];
}

export type GuardPlan =
  | { readonly kind: 'skip' }
  | { readonly kind: 'run' }
  /** Known to fail without being run. */
  | { readonly kind: 'failed'; readonly run: GuardRun };

export function planGuard(input: GuardPlanInput): GuardPlan {
  if (input.purpose !== 'execute' || input.judgement?.kind !== 'accepted') return { kind: 'skip' };
  if (input.judgement.output.status !== 'done') return { kind: 'skip' };
  if (input.dirtySubmodules.length > 0) {
    return {
      kind: 'failed',
      run: failedRun(`changes inside a submodule are in no commit: ${input.dirtySubmodules.join(', ')}`),
    };
  }
  const empty = input.record.base !== null && input.record.base === input.workTree;
  if (!empty || input.config.guard.empty_change === 'allow') return { kind: 'run' };
  const confirmed = input.config.guard.empty_change === 'confirm' && input.record.confirm_asked;
  return confirmed ? { kind: 'run' } : { kind: 'skip' };
}

/** The record of a node; before its first iteration its base is the baseline itself. */
export function nodeRecord(input: {
  readonly runState: RunState;
  readonly nodeId: string;
  readonly baselineTree: string;
}): NodeRecord {
  const { nodes } = input.runState;
  // `constructor` is an allowed id, and every plain object inherits one.
  const known = Object.hasOwn(nodes, input.nodeId) ? nodes[input.nodeId] : undefined;
  return known ?? { ...newNodeRecord, base: input.baselineTree };
}

/** The record of the node that an iteration works on. */
export function recordOf(journal: JournalBase): NodeRecord {
  const { run_state, node_id, baseline_tree } = journal;
  return nodeRecord({ runState: run_state, nodeId: node_id, baselineTree: baseline_tree });
}

/** A guard verdict that did not come from running the guard to its end. */
export function failedRun(reason: string, output = ''): GuardRun {
  return { end: { kind: 'failed', reason }, exit_code: null, duration_ms: 0, output, log_sha256: null };
}

/** A hook can only veto a pass; any other outcome keeps its own verdict (§5). */
export function guardAfterHook(guard: GuardRun | null, output: string): GuardRun | null {
  if (guard?.end.kind !== 'passed') return guard;
  return { ...guard, end: { kind: 'failed', reason: 'a git hook refused or changed the commit' }, output };
}
