/**
 * What `step` would do now, without doing it: the same checks in the same order, the same plan, the same prompt. It takes no lock,
 * starts no program and writes nothing.
 */
import { selectModel } from '../../core/agents/model-choice.ts';
import type { ModelSource } from '../../core/agents/model-choice.ts';
import { reviewConfig } from '../../core/iteration/review.ts';
import type { Config, Purpose } from '../../core/types.ts';
import { byteLength } from '../../core/text/shorten.ts';
import type { GitHistory } from '../../ports/git-history.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Executor, SessionPreview, SessionRole } from '../../ports/sessions.ts';
import type { Inspected } from '../preflight.ts';
import { inspect } from '../preflight.ts';
import type { Plan, Work } from '../plan.ts';
import { planNext } from '../plan.ts';
import { buildPrompt } from '../prompt.ts';

export interface PlannedStep {
  readonly kind: 'planned';
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  readonly purpose: Purpose;
  readonly prompt_sha256: string;
  readonly prompt_bytes: number;
  readonly agent: SessionPreview;
  /** The table of the settings that chose its model and effort. */
  readonly model_from: ModelSource;
  /** Null: no review. */
  readonly reviewer: SessionPreview | null;
  readonly guard_command: readonly string[];
  readonly budget_secs: number;
}

export type DryRun =
  | PlannedStep
  | Exclude<Plan, { kind: 'work' }>
  /** An iteration or a `start` was cut off: what comes after it can only be known once it is finished. */
  | {
      readonly kind: 'recovery';
      readonly run_id: string;
      readonly what: string;
      readonly iter: number | null;
    };

export async function dryRun(ports: Ports): Promise<DryRun> {
  await ports.lock.check();
  const open = await ports.journal.load();
  if (open !== null) {
    const iter = open.kind === 'iteration' ? open.iter : null;
    return { kind: 'recovery', run_id: open.run_id, what: open.kind, iter };
  }
  const inspected = await inspect(ports, { fresh: true });
  const plan = planNext(inspected);
  return plan.kind === 'work' ? describeStep(ports, inspected, plan.work) : plan;
}

async function describeStep(ports: Ports, inspected: Inspected, work: Work): Promise<PlannedStep> {
  const { config, runState, runId } = inspected;
  const { purpose, nodeId } = work;
  const { config: session, from } = selectModel({ ...inspected, purpose, nodeId });
  const agent = await requirePreview(ports.executor, { inspected, work, config: session, role: 'agent' });
  const reviewing = reviewConfig(config);
  const reviewer =
    reviewing === null
      ? null
      : await requirePreview(ports.executor, { inspected, work, config: reviewing, role: 'review' });
  await ports.guards.check(config);
  const isAt = (workTree: string): Promise<boolean> =>
    isCommittedWork(ports.git, { workTree, commit: inspected.commit });
  const { text } = await buildPrompt(ports, { ground: { ...inspected, isAt }, work });
  return {
    kind: 'planned',
    run_id: runId,
    iter: runState.next_iter,
    node_id: work.nodeId,
    node_path: work.leaf?.path ?? work.nodeId,
    purpose: work.purpose,
    prompt_sha256: ports.hasher.sha256(text),
    prompt_bytes: byteLength(text),
    agent,
    model_from: from,
    reviewer,
    guard_command: config.guard.command,
    budget_secs: config.iteration_timeout_secs,
  };
}

interface PreviewRequest {
  readonly inspected: Inspected;
  readonly work: Work;
  readonly config: Config;
  readonly role: SessionRole;
}

async function requirePreview(executor: Executor, request: PreviewRequest): Promise<SessionPreview> {
  const { inspected, work, config, role } = request;
  const preview = await executor.preview({
    role,
    config,
    run_id: inspected.runId,
    iter: inspected.runState.next_iter,
    node_id: work.nodeId,
    judged_sessions: inspected.runState.judged_sessions,
  });
  if (preview.problem !== null) throw preview.problem;
  return preview;
}

/** The work tree is clean, so the commit says what it holds; a tree that git has pruned is no longer there to compare. */
export async function isCommittedWork(
  git: Pick<GitHistory, 'changedPaths'>,
  range: { readonly workTree: string; readonly commit: string },
): Promise<boolean> {
  const changed = await git.changedPaths({ from: range.workTree, to: range.commit }).catch(() => null);
  return changed?.length === 0;
}
