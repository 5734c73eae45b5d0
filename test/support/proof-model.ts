/** Transitions of a run for the pure part of the proof, made with the outcome table itself: no git, no files. */
import { parseTrailers } from '../../src/core/proof/trailers.ts';
import type { Facts, IterationTransition, StateFiles, Transition } from '../../src/core/proof/transition.ts';
import { classifyChange, findMarks, isSameShape } from '../../src/core/iteration/classifier.ts';
import { parseIterationSubject, renderCommitMessage } from '../../src/core/iteration/commit-message.ts';
import type { OutcomeInput } from '../../src/core/iteration/outcome-row.ts';
import { decide } from '../../src/core/iteration/outcome.ts';
import { renderRunState } from '../../src/core/iteration/run-state.ts';
import { guardSettings } from '../../src/core/guard/ratchet.ts';
import { renderTree } from '../../src/core/tree/canonical-json.ts';
import type { Ratchet, RunState, SourceText, TreeNode } from '../../src/core/types.ts';
import { outcomeInput, recordWith, sha256, textSource } from './facts.ts';

export const missing: SourceText = { kind: 'missing' };
export const base = 'b'.repeat(40);
const made = 'c'.repeat(40);
const hash = 'e'.repeat(64);
const work = 'a'.repeat(40);

export function filesOf(tree: TreeNode, state: RunState, rejected: SourceText = missing): StateFiles {
  return { tree: textSource(renderTree(tree)), runState: textSource(renderRunState(state)), rejected };
}

export interface Step<T extends Transition = Transition> {
  readonly transition: T;
  readonly facts: Facts;
}

export function factsWith(fields: Partial<Facts> & Pick<Facts, 'before' | 'after'>): Facts {
  return {
    prefix: '',
    base: fields.before,
    config: {},
    inside: [],
    outside: [],
    sinceNode: null,
    touched: [],
    entries: { after: new Map(), base: new Map() },
    workTree: work,
    logs: new Map(),
    ...fields,
  };
}

export function plainStep(
  kind: 'plain' | 'start' | 'person',
  message: string,
  facts: Facts,
  isFirst = false,
): Step {
  const commit = { id: made, tree: '', parents: [base], message };
  const common = { commit, trailers: parseTrailers(message), from: base };
  if (kind === 'start') return { transition: { ...common, kind, isFirst }, facts };
  if (kind === 'plain') return { transition: { ...common, kind }, facts };
  return { transition: { ...common, kind, command: common.trailers.get('Person')?.[0] ?? '' }, facts };
}

export interface Given {
  readonly input?: Partial<OutcomeInput>;
  /** Paths outside `.runner/` that differ from B. */
  readonly outside?: readonly string[];
  readonly facts?: Partial<Facts>;
  readonly settings?: readonly string[];
  readonly ratchet?: Ratchet;
  readonly guardExit?: number | null;
  readonly review?: 'pass' | 'fail' | null;
  readonly counterfactual?: 'red' | 'green' | null;
  readonly extraMarks?: readonly string[];
  readonly control?: string;
  readonly change?: (message: string) => string;
  readonly changeState?: (state: RunState) => RunState;
}

/** An iteration as the runner records it. */
export function iterationStep(given: Given = {}): Step<IterationTransition> {
  const record = recordWith({ base: 'd'.repeat(40) });
  const input = outcomeInput({ seconds: 4, record, ...given.input });
  const { config, nodeId, before, runState, iter, purpose } = input;
  const outcome = decide(input);
  const ratchet = given.ratchet ?? { guard_sha256: sha256(guardSettings(config)), files: [] };
  const state = { ...outcome.runState, ratchet };
  const outside = given.outside ?? [];
  const after = filesOf(
    outcome.tree,
    given.changeState?.(state) ?? state,
    outcome.rejected.action === 'write' ? textSource(outcome.rejected.text) : missing,
  );
  const marks = findMarks({
    changedPaths: outside,
    prefix: '',
    guardCommand: config.guard.command,
    guardFiles: [],
  });
  const hasGuard =
    input.guard !== null && outcome.name !== 'guard-not-started' && outcome.name !== 'guard-cut-off';
  const exit = given.guardExit === undefined ? (hasGuard ? 0 : null) : given.guardExit;
  const rendered = renderCommitMessage({
    run_id: String(runState.run_id),
    iter,
    node_id: nodeId,
    title: 'A title',
    status: outcome.status,
    guard: outcome.guard,
    baseline: base,
    control: given.control ?? base,
    outcome: outcome.name,
    agent: { name: 'scripted', version: null, model: null, effort: null },
    mode: classifyChange({
      purpose,
      changedPaths: outside,
      treeChanged: !isSameShape({ before, after: outcome.tree }),
    }),
    prompt_sha256: hash,
    answer_sha256: input.judgement === null || input.judgement.kind === 'no_answer' ? null : hash,
    tree_sha256: { before: sha256(renderTree(before)), after: sha256(renderTree(outcome.tree)) },
    guard_command: config.guard.command,
    guard_exit: exit,
    guard_log_sha256: exit === null ? null : hash,
    counterfactual: given.counterfactual ?? null,
    review:
      given.review === undefined
        ? null
        : { agent: { name: 'claude', version: null, model: null, effort: null }, verdict: given.review },
    rings: 'sandbox=none settings=on checkout=off',
    settings: given.settings ?? [],
    work_tree: work,
    changed_files: outside.length,
    tool_files: [],
    spent: outcome.spent,
    marks: [...outcome.marks, ...marks, ...(given.extraMarks ?? [])],
  });
  const message = given.change?.(rendered) ?? rendered;
  const subject = parseIterationSubject(message.split('\n', 1).join(''));
  if (subject === null) throw new Error('no iteration any more');
  const commit = { id: made, tree: '', parents: [base], message };
  const transition = {
    kind: 'iteration' as const,
    commit,
    trailers: parseTrailers(message),
    subject,
    baseline: base,
    from: given.control ?? base,
    own: null,
  };
  const ground = filesOf(before, runState);
  const facts = factsWith({ before: ground, after, outside, ...given.facts });
  return { transition, facts };
}
