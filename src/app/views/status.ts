/** A run at a glance, read-only: progress, what comes next, last outcomes, limits, questions, and who is at work. */
import { limitsOf, progressOf } from '../../core/views/overview.ts';
import type { LimitsUse, OpenIteration, Progress } from '../../core/views/overview.ts';
import { describeCheckout } from '../../core/iteration/checkout-plan.ts';
import type { CheckoutState } from '../../core/iteration/checkout-plan.ts';
import { listQuestions } from '../../core/agents/questions.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import type { Selection } from '../../core/types.ts';
import type { ToolFile } from '../../ports/git-history.ts';
import type { IterationReader } from '../../ports/iteration-reader.ts';
import type { Hasher, LockHolder } from '../../ports/sessions.ts';
import type { Workspace } from '../../ports/stores.ts';
import { loadLook } from './look.ts';
import type { LookPorts } from './look.ts';

export interface StatusPorts extends LookPorts {
  readonly iterations: IterationReader;
  readonly workspace: Workspace;
  readonly hasher: Pick<Hasher, 'sha256'>;
}

export interface Status {
  readonly run_id: string | null;
  /** Null: detached, or no git repository. */
  readonly branch: string | null;
  readonly agent: string;
  readonly progress: Progress;
  readonly selection: Selection;
  /** Oldest first. */
  readonly last: readonly IterationMeta[];
  readonly limits: LimitsUse;
  readonly checkout: CheckoutState;
  readonly questions: readonly string[];
  /** Files that other programs execute, changed by sessions of the run: to be looked at before they get the chance. */
  readonly tool_files: readonly ToolFile[];
  readonly holder: LockHolder | null;
  readonly iteration: OpenIteration | null;
}

const lastShownMax = 5;

export async function loadStatus(ports: StatusPorts): Promise<Status> {
  const look = await loadLook(ports);
  const { run_id } = look.runState;
  const questions = await ports.workspace.load('state/questions.md');
  return {
    run_id,
    branch: ports.workTree === null ? null : await ports.workTree.git.headBranch(),
    agent: look.config.agent.name,
    progress: progressOf(look.tree),
    selection: look.selection,
    last: run_id === null ? [] : await loadLast(ports.iterations, run_id),
    limits: limitsOf(look.runState, look.config),
    checkout: describeCheckout({ ...look, sha256: (text) => ports.hasher.sha256(text) }),
    questions: questions.kind === 'text' ? listQuestions(questions.text) : [],
    tool_files: run_id === null ? [] : ((await ports.workTree?.git.toolFiles(run_id)) ?? []),
    holder: look.holder,
    iteration: look.iteration,
  };
}

/** From the newest back, until there are enough that are complete. */
async function loadLast(iterations: IterationReader, run_id: string): Promise<readonly IterationMeta[]> {
  const last: IterationMeta[] = [];
  for (const iter of (await iterations.listIterations(run_id)).toReversed()) {
    const meta = await iterations.loadMeta({ run_id, iter });
    if (meta !== null) last.unshift(meta);
    if (last.length === lastShownMax) break;
  }
  return last;
}
