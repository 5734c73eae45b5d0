/** A run at a glance, read-only: progress, what comes next, last outcomes, limits, questions, and who is at work. */
import { limitsOf, progressOf } from '../../core/views/overview.ts';
import type { LimitsUse, OpenIteration, Progress } from '../../core/views/overview.ts';
import { describeCheckout } from '../../core/iteration/checkout-plan.ts';
import type { CheckoutState } from '../../core/iteration/checkout-plan.ts';
import { listOpenQuestions } from '../../core/agents/questions.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { describeEdit } from '../../core/runs/queue-entry.ts';
import type { Selection } from '../../core/types.ts';
import type { ToolFile } from '../../ports/git-history.ts';
import type { IterationReader } from '../../ports/iteration-reader.ts';
import type { Hasher, LockHolder } from '../../ports/sessions.ts';
import type { EditQueue } from '../../ports/steer.ts';
import type { Workspace } from '../../ports/stores.ts';
import { loadLook } from './look.ts';
import type { LookPorts } from './look.ts';

export interface StatusPorts extends LookPorts {
  readonly iterations: IterationReader;
  readonly workspace: Workspace;
  readonly hasher: Pick<Hasher, 'sha256'>;
  /** Null outside a git repository. */
  readonly queue: Pick<EditQueue, 'list' | 'listRefused'> | null;
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
  /** Those that nobody has answered. */
  readonly questions: readonly string[];
  /** A person's changes that wait for the next iteration, or that no longer applied. */
  readonly changes: readonly WaitingChange[];
  /** Files that other programs execute, changed by sessions of the run: to be looked at before they get the chance. */
  readonly tool_files: readonly ToolFile[];
  readonly holder: LockHolder | null;
  readonly iteration: OpenIteration | null;
}

/** `refused`: why it did not apply; null: it waits. */
export interface WaitingChange {
  readonly change: string;
  readonly refused: string | null;
}

const lastShownMax = 5;

export async function loadStatus(ports: StatusPorts): Promise<Status> {
  const look = await loadLook(ports);
  const { run_id } = look.runState;
  const questions = await loadMemory(ports, 'state/questions.md');
  const answers = await loadMemory(ports, 'state/answers.md');
  return {
    run_id,
    branch: ports.workTree === null ? null : await ports.workTree.git.headBranch(),
    agent: look.config.agent.name,
    progress: progressOf(look.tree),
    selection: look.selection,
    last: run_id === null ? [] : await loadLast(ports.iterations, run_id),
    limits: limitsOf(look.runState, look.config),
    checkout: describeCheckout({ ...look, sha256: (text) => ports.hasher.sha256(text) }),
    questions: listOpenQuestions(questions, answers),
    changes: await loadChanges(ports, run_id),
    tool_files: run_id === null ? [] : ((await ports.workTree?.git.toolFiles(run_id)) ?? []),
    holder: look.holder,
    iteration: look.iteration,
  };
}

async function loadChanges({ queue }: StatusPorts, run_id: string | null): Promise<readonly WaitingChange[]> {
  if (queue === null || run_id === null) return [];
  const refused = (await queue.listRefused(run_id)).map(({ entry, reason }) => ({
    change: describeEdit(entry.edit),
    refused: reason,
  }));
  const waiting = (await queue.list()).flatMap((one) =>
    'entry' in one ? [{ change: describeEdit(one.entry.edit), refused: null }] : [],
  );
  return [...refused.slice(-lastShownMax), ...waiting];
}

async function loadMemory({ workspace }: StatusPorts, path: string): Promise<string> {
  const source = await workspace.load(path);
  return source.kind === 'text' ? source.text : '';
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
