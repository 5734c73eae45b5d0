/** One run as a whole, found by what a person typed (§12): its branch, its archive or its record. Reads only. */
import { parseGoal } from '../../core/config/goal.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import { chooseRun } from '../../core/runs/run-choice.ts';
import type { ChoiceInput } from '../../core/runs/run-choice.ts';
import { goalTitle } from '../../core/runs/goal-title.ts';
import { liveStatuses } from '../../core/runs/record.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { progressOf } from '../../core/tree/progress.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { RunState, TreeNode } from '../../core/types.ts';
import type { RunEndings, RunLeftovers, WorkTree } from '../../ports/endings.ts';
import type { GitPort, RunBranch } from '../../ports/git.ts';
import type { Ports } from '../../ports/ports.ts';
import type { RepositoryLock, RunRecords } from '../../ports/runs.ts';
import type { Clock } from '../../ports/sessions.ts';
import type { AuditPorts } from './audit.ts';

/** A work tree of the repository, with everything that acts there. */
export interface EndingPlace {
  readonly ports: Ports;
  readonly endings: RunEndings;
}

/** `git` and `endings`: where the command was given. */
export interface EndingPorts {
  readonly git: GitPort;
  readonly endings: RunEndings;
  readonly records: RunRecords;
  readonly repositoryLock: RepositoryLock;
  readonly leftovers: RunLeftovers;
  readonly clock: Clock;
  readonly note: (message: string) => void;
  readonly audit: AuditPorts;
  /** Contract: does the work with the ports of a work tree; null: where the command was given. */
  inPlace<T>(path: string | null, work: (place: EndingPlace) => Promise<T>): Promise<T>;
  /** Contract: the run whose iteration or start is open in a work tree; null: none, or it cannot be read. */
  openRunAt(path: string): Promise<string | null>;
  /** Contract: takes the lock of a work tree for as long as the work takes. */
  holdWorkTree<T>(path: string, command: string, work: () => Promise<T>): Promise<T>;
}

export interface WholeRun {
  readonly run_id: string;
  readonly branch: string;
  /** Its last commit; null: none is left. */
  readonly tip: string | null;
  /** Whether the branch is here. */
  readonly is_local: boolean;
  /** Another project folder of the repository has runs of its own; what cannot be read may be ours. */
  readonly is_ours: boolean;
  readonly record: RunRecord | null;
  /** Null: its files cannot be read. */
  readonly state: RunState | null;
  readonly tree: TreeNode | null;
  readonly title: string;
}

/** Throws RUN_UNKNOWN, and LOCKED while a process works on it. */
export async function findRun(
  ports: EndingPorts,
  { command, word }: Pick<ChoiceInput, 'command' | 'word'>,
): Promise<WholeRun> {
  const branches = await ports.git.listRunBranches();
  const runs: WholeRun[] = [];
  for (const branch of branches) {
    const run = await loadFrom(ports, branch);
    if (run.is_ours) runs.push(run);
  }
  for (const id of await otherIds(ports, { command, word, runs })) runs.push(await loadRun(ports, id));
  const choice = chooseRun({
    command,
    word,
    branch: await ports.git.headBranch(),
    known: runs.map(({ run_id, tree }) => ({ run_id, is_complete: tree?.passes === true })),
  });
  if (!choice.ok) throw new RunnerError(choice);
  await requireIdle(ports, choice.run_id);
  return loadRun(ports, choice.run_id);
}

/** Runs without a branch: those that only a record, an open iteration or, if named, an archive knows. */
async function otherIds(
  ports: EndingPorts,
  request: Pick<ChoiceInput, 'command' | 'word'> & { readonly runs: readonly WholeRun[] },
): Promise<readonly string[]> {
  const known = new Set(request.runs.map(({ run_id }) => run_id));
  const ids: string[] = [];
  const wanted = request.word?.replace(/^runner\//u, '');
  for (const { run_id } of await ports.endings.listArchives()) if (run_id === wanted) ids.push(run_id);
  if (request.command === 'abandon') {
    for (const found of await ports.records.list()) {
      const isEnded = found.kind === 'record' && ['finished', 'abandoned'].includes(found.record.status);
      if (!isEnded) ids.push(found.kind === 'record' ? found.record.run_id : found.run_id);
    }
    for (const { path, is_there } of await ports.endings.listWorkTrees()) {
      const open = is_there ? await ports.openRunAt(path) : null;
      if (open !== null) ids.push(open);
    }
  }
  return [...new Set(ids)].filter((id) => !known.has(id));
}

/** As it is now: by its branch, else by its archive, else by its record. */
export async function loadRun(ports: EndingPorts, runId: string): Promise<WholeRun> {
  const branch = (await ports.git.listRunBranches()).find(({ run_id }) => run_id === runId);
  if (branch !== undefined) return loadFrom(ports, branch);
  const archive = (await ports.endings.listArchives()).find(({ run_id }) => run_id === runId);
  const commit = archive?.commit ?? null;
  return loadFrom(ports, { run_id: runId, branch: `runner/${runId}`, commit, remote: '' });
}

async function loadFrom(
  ports: EndingPorts,
  { run_id, branch, commit, remote }: Omit<RunBranch, 'commit'> & { readonly commit: string | null },
): Promise<WholeRun> {
  const found = await ports.records.load(run_id);
  const record = found?.kind === 'record' ? found.record : null;
  const load = async (path: string): Promise<string | null> => {
    if (commit === null) return null;
    const source = await ports.git.loadText({ commit, path: `.runner/${path}` });
    return source.kind === 'text' ? source.text : null;
  };
  const state = await load('state/run_state.json');
  const tree = await load('state/tree.json');
  const goal = await load('GOAL.md');
  const parsed = state === null ? null : parseRunState(state);
  const parsedTree = tree === null ? null : parseTree({ kind: 'text', text: tree });
  return {
    run_id,
    branch,
    tip: commit,
    is_local: remote === null,
    is_ours: parsed !== null && (!parsed.ok || parsed.state.run_id === run_id),
    record,
    state: parsed?.ok === true ? parsed.state : null,
    tree: parsedTree?.ok === true ? parsedTree.tree : null,
    title: titleOf(goal) ?? record?.title ?? '',
  };
}

function titleOf(goal: string | null): string | null {
  try {
    return goal === null ? null : goalTitle(parseGoal(goal).body);
  } catch {
    // The goal's own reader reports it; a run without a title can end.
    return null;
  }
}

export function leavesOf({ tree, record }: Pick<WholeRun, 'tree' | 'record'>): RunRecord['leaves'] {
  if (tree === null) return record?.leaves ?? { passed: 0, all: 0 };
  const { passed, total } = progressOf(tree);
  return { passed, all: total };
}

/** Asked again under the repository's lock: a process may have taken the run meanwhile. */
export async function requireIdle(ports: EndingPorts, runId: string): Promise<void> {
  const found = await ports.records.load(runId);
  if (found?.kind !== 'record' || !found.is_alive || !liveStatuses.has(found.record.status)) return;
  const pid = found.record.owner?.pid ?? 0;
  throw new RunnerError({
    code: 'LOCKED',
    message: `run ${runId} is at work in the background (${found.record.status}, pid ${pid})`,
    hint: `wait for it: runner run attach ${runId}, or end it: runner run cancel ${runId}`,
  });
}

/** The folder that has a branch checked out now; null: none, or the folder is gone. */
export async function folderOf(ports: EndingPorts, branch: string): Promise<string | null> {
  const all = await ports.endings.listWorkTrees();
  return all.find((one) => one.branch === branch && one.is_there)?.path ?? null;
}

/** Where the run's branch is checked out. */
export async function checkoutOf(ports: EndingPorts, branch: string): Promise<WorkTree | null> {
  const all = await ports.endings.listWorkTrees();
  return all.find((one) => one.branch === branch) ?? null;
}
