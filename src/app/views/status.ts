/** A run at a glance, read-only: progress, what comes next, last outcomes, limits, questions, and who is at work. */
import { findNode } from '../../core/tree/tree-walk.ts';
import { describeRefusal, describeSituation } from '../../core/views/situation.ts';
import type { Situation } from '../../core/views/situation.ts';
import { limitsOf, progressOf } from '../../core/views/overview.ts';
import type { LimitsUse, OpenIteration, Progress } from '../../core/views/overview.ts';
import { isPlaceholder } from '../../core/iteration/initial-files.ts';
import { describeCheckout } from '../../core/iteration/checkout-plan.ts';
import type { CheckoutState } from '../../core/iteration/checkout-plan.ts';
import { describeSandbox } from '../../core/iteration/rings.ts';
import type { SandboxState } from '../../core/iteration/rings.ts';
import { listOpenQuestions } from '../../core/agents/questions.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { refuseConflict } from '../../core/runs/merge-conflict.ts';
import { describeChange } from '../../core/runs/person-change.ts';
import { titleIn } from '../../core/tree/tree-walk.ts';
import type { Selection } from '../../core/types.ts';
import type { GitSnapshot } from '../../ports/git.ts';
import type { ToolFile } from '../../ports/git-history.ts';
import type { IterationReader } from '../../ports/iteration-reader.ts';
import type { Hasher, LockHolder } from '../../ports/sessions.ts';
import type { EditQueue } from '../../ports/steer.ts';
import type { Workspace } from '../../ports/stores.ts';
import { planNext } from '../plan.ts';
import { loadLook } from './look.ts';
import type { Look, LookPorts } from './look.ts';

export interface StatusPorts extends LookPorts {
  readonly iterations: IterationReader;
  readonly workspace: Workspace;
  readonly hasher: Pick<Hasher, 'sha256'>;
  /** Null outside a git repository. */
  readonly queue: Pick<EditQueue, 'list' | 'listRefused'> | null;
  /** A hint that helps under the settings in force. */
  readonly fitHint: (hint: string, least: number | null) => string;
}

export interface Status {
  readonly run_id: string | null;
  /** Null: detached, or no git repository. */
  readonly branch: string | null;
  readonly agent: string;
  readonly situation: Situation;
  readonly progress: Progress;
  readonly selection: Selection;
  /** Oldest first. */
  readonly last: readonly IterationMeta[];
  readonly limits: LimitsUse;
  readonly checkout: CheckoutState;
  readonly sandbox: SandboxState;
  /** Those that nobody has answered. */
  readonly questions: readonly string[];
  /** A person's changes that wait for the next iteration, or that no longer applied. */
  readonly changes: readonly WaitingChange[];
  /** Files that other programs execute, changed by sessions of the run: to be looked at before they get the chance. */
  readonly tool_files: readonly ToolFile[];
  readonly holder: LockHolder | null;
  readonly iteration: OpenIteration | null;
  /** Of the node of that iteration; null: none, or it is gone. */
  readonly title: string | null;
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
  // A runner at work has looked itself.
  const found = look.holder === null ? ((await ports.workTree?.git.snapshot()) ?? null) : null;
  return {
    run_id,
    branch: ports.workTree === null ? null : await ports.workTree.git.headBranch(),
    agent: look.config.agent.name,
    situation: describeConflict(found) ?? (await loadSituation(ports, look, found)),
    progress: progressOf(look.tree),
    selection: look.selection,
    last: run_id === null ? [] : await loadLast(ports.iterations, run_id),
    limits: limitsOf(look.runState, look.config),
    checkout: describeCheckout({ ...look, sha256: ports.hasher.sha256 }),
    sandbox: describeSandbox(look.config, { setting: look.sandboxSetting, isStarted: run_id !== null }),
    questions: await loadOpenQuestions(ports.workspace),
    changes: await loadChanges(ports, run_id),
    tool_files: run_id === null ? [] : ((await ports.workTree?.git.toolFiles(run_id)) ?? []),
    holder: look.holder,
    iteration: look.iteration,
    title: look.iteration === null ? null : titleIn(look.tree, look.iteration.node_id),
  };
}

type Found = Pick<GitSnapshot, 'dirty' | 'branch'> | null;

/** A merge that stopped at conflicts; nothing goes on before it is solved. */
function describeConflict(found: Found): Situation | null {
  const refusal = found === null ? null : refuseConflict(found.dirty, found.branch);
  return refusal === null ? null : describeRefusal(refusal);
}

/** Read after the lock: a note that says `working` is then of the one who holds it, or of one who died. */
async function loadSituation(ports: StatusPorts, look: Look, found: Found): Promise<Situation> {
  const { holder, iteration, selection, tree, config, runState } = look;
  const { run_id } = runState;
  const plan = planNext({ runId: run_id ?? '', config, runState, tree });
  const next = selection.kind === 'complete' ? null : selection.leaf;
  const node = iteration === null ? next?.node : findNode(tree, iteration.node_id);
  return describeSituation({
    run_id,
    hasGoal: run_id !== null || !isPlaceholder(await loadText(ports.workspace, 'GOAL.md')),
    holder,
    iteration,
    title: node?.title ?? '',
    note: (await ports.workTree?.loadNote()) ?? null,
    isPausing: (await ports.workTree?.isPausing()) ?? false,
    isClean: found?.dirty.length === 0,
    end: plan.kind === 'work' ? null : plan,
    fit: ports.fitHint,
  });
}

async function loadChanges({ queue }: StatusPorts, run_id: string | null): Promise<readonly WaitingChange[]> {
  if (queue === null || run_id === null) return [];
  const refused = (await queue.listRefused(run_id)).map(({ entry, reason }) => ({
    change: describeChange(entry.edit),
    refused: reason,
  }));
  const waiting = (await queue.list()).flatMap((one) =>
    'entry' in one ? [{ change: describeChange(one.entry.edit), refused: null }] : [],
  );
  return [...refused.slice(-lastShownMax), ...waiting];
}

type Texts = Pick<Workspace, 'load'>;

async function loadText(workspace: Texts, path: string): Promise<string> {
  const source = await workspace.load(path);
  return source.kind === 'text' ? source.text : '';
}

async function loadOpenQuestions(workspace: Texts): Promise<readonly string[]> {
  const [asked, answered] = [
    await loadText(workspace, 'state/questions.md'),
    await loadText(workspace, 'state/answers.md'),
  ];
  return listOpenQuestions(asked, answered);
}

export async function countOpenQuestions(workspace: Texts): Promise<number> {
  return (await loadOpenQuestions(workspace)).length;
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
