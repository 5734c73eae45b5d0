/**
 * Every run of a repository, merged from what its branches, archive refs and records say (§12). It reads nothing itself, and never
 * calls a run at work whose process is gone.
 */
import { parseGoal } from '../config/goal.ts';
import { parseRunState } from '../iteration/run-state-schema.ts';
import { parseTree } from '../tree/tree-schema.ts';
import { progressOf } from '../tree/progress.ts';
import { compareCodePoints } from '../tree/tree-walk.ts';
import { goalTitle } from './goal-title.ts';
import type { TreeNode } from '../types.ts';
import { trueStatus } from './record.ts';
import type { RunRecord, RunStatus } from './record.ts';

/** What a run is to the person who started it; see §12. */
export type WholeRunState = 'open' | 'complete' | 'finished' | 'abandoned';

/** Where a run's last commit is. An archive ref holds that of a finished or abandoned run. */
export interface RunTip {
  readonly run_id: string;
  readonly kind: 'local' | 'remote' | 'archive';
  /** Null for an archive. */
  readonly branch: string | null;
  readonly remote: string | null;
  readonly commit: string;
  /** In UTC; null: the commit cannot be read. */
  readonly committed_at: string | null;
  /** The run's files at that commit; null: missing or unreadable. */
  readonly goal: string | null;
  readonly run_state: string | null;
  readonly tree: string | null;
  /** Of an archive: whether a commit of `finish` names it. */
  readonly is_finished: boolean;
  /** The work tree that has the branch checked out; null: none. */
  readonly checkout: string | null;
}

/** A record as it was found. */
export type KnownRecord =
  | {
      readonly kind: 'record';
      readonly record: RunRecord;
      readonly is_alive: boolean;
    }
  | { readonly kind: 'broken'; readonly run_id: string; readonly problems: readonly string[] };

/** What a record says of the background run, told as it is now. */
export interface BackgroundRun {
  readonly status: RunStatus;
  readonly reason: string | null;
  readonly is_alive: boolean;
  /** Null: removed or not made yet. */
  readonly worktree: string | null;
}

export interface RunRow {
  readonly run_id: string;
  readonly title: string;
  readonly state: WholeRunState;
  /** Null: no branch of the run is known. */
  readonly branch: string | null;
  /** The remote that alone has the branch. */
  readonly remote: string | null;
  /** Its last commit; null: none is left in any ref. */
  readonly commit: string | null;
  /** Where its branch is checked out. */
  readonly checkout: string | null;
  readonly base_branch: string | null;
  readonly base_commit: string | null;
  readonly goal_sha256: string | null;
  /** Null: the tree cannot be read. */
  readonly leaves: { readonly passed: number; readonly all: number } | null;
  readonly last_activity: string | null;
  /** Null: no background run, or its record is lost. */
  readonly background: BackgroundRun | null;
  /** What is wrong with its record. */
  readonly problems: readonly string[];
}

export interface RunListFacts {
  readonly tips: readonly RunTip[];
  readonly records: readonly KnownRecord[];
}

/** The one at work or touched last comes last, as in a log. */
export function listRuns({ tips, records }: RunListFacts): readonly RunRow[] {
  const ids = new Set([...tips.map(({ run_id }) => run_id), ...records.map(idOfRecord)]);
  const rows = [...ids].map((run_id) =>
    rowOf(run_id, {
      tips: tips.filter((tip) => tip.run_id === run_id),
      record: records.find((record) => idOfRecord(record) === run_id) ?? null,
    }),
  );
  return rows.toSorted(
    (a, b) =>
      compareCodePoints(a.last_activity ?? '', b.last_activity ?? '') ||
      compareCodePoints(a.run_id, b.run_id),
  );
}

/** What `runs` shows without `--all`. */
export function isUnended({ state }: Pick<RunRow, 'state'>): boolean {
  return state === 'open' || state === 'complete';
}

function idOfRecord(record: KnownRecord): string {
  return record.kind === 'record' ? record.record.run_id : record.run_id;
}

interface OneRun {
  readonly tips: readonly RunTip[];
  readonly record: KnownRecord | null;
}

function rowOf(run_id: string, { tips, record }: OneRun): RunRow {
  const archive = tips.find(({ kind }) => kind === 'archive') ?? null;
  const branch =
    tips.find(({ kind }) => kind === 'local') ?? tips.find(({ kind }) => kind === 'remote') ?? null;
  const tip = branch ?? archive;
  const known = record?.kind === 'record' ? record : null;
  const read = tip === null ? nothingRead : readTip(tip);
  const background = known === null ? null : backgroundOf(known);
  const leaves = known !== null && known.record.leaves.all > 0 ? known.record.leaves : null;
  return {
    run_id,
    title: read.title === '' ? (known?.record.title ?? '') : read.title,
    state: stateOf({ branch, archive, background, isComplete: read.isComplete }),
    branch: branch?.branch ?? null,
    remote: branch?.remote ?? null,
    commit: tip?.commit ?? null,
    checkout: branch?.checkout ?? null,
    base_branch: read.base_branch ?? known?.record.base_branch ?? null,
    base_commit: read.base_commit ?? known?.record.base_commit ?? null,
    goal_sha256: read.goal_sha256 ?? known?.record.goal_sha256 ?? null,
    leaves: read.leaves ?? leaves,
    last_activity: latest(tip?.committed_at ?? null, known?.record.updated_at ?? null),
    background,
    problems: record?.kind === 'broken' ? record.problems : [],
  };
}

function backgroundOf({ record, is_alive }: Extract<KnownRecord, { kind: 'record' }>): BackgroundRun {
  return { ...trueStatus(record, is_alive), is_alive, worktree: record.worktree };
}

function stateOf(facts: {
  readonly branch: RunTip | null;
  readonly archive: RunTip | null;
  readonly background: BackgroundRun | null;
  readonly isComplete: boolean;
}): WholeRunState {
  const { branch, archive, background, isComplete } = facts;
  const status = background?.status ?? null;
  // A branch that was kept is still the archived run, until somebody goes on from there. An end that was cut off is none: then only the
  // archive was made.
  if (archive !== null && (branch === null || branch.commit === archive.commit)) {
    if (status === 'finished' || status === 'abandoned') return status;
    if (archive.is_finished) return 'finished';
    if (branch === null) return 'abandoned';
  }
  if (branch !== null) return isComplete ? 'complete' : 'open';
  if (status === 'complete' || status === 'finished' || status === 'abandoned') return status;
  return 'open';
}

type ReadTip = Pick<RunRow, 'title' | 'base_branch' | 'base_commit' | 'goal_sha256' | 'leaves'> & {
  readonly isComplete: boolean;
};

const nothingRead: ReadTip = {
  title: '',
  base_branch: null,
  base_commit: null,
  goal_sha256: null,
  leaves: null,
  isComplete: false,
};

/**
 * Files of another version or of nobody's making only leave gaps: a list is no check. Before its first commit a run's branch holds the
 * files of another run, or of none.
 */
function readTip(tip: RunTip): ReadTip {
  const state = tip.run_state === null ? null : parseRunState(tip.run_state);
  const found = state?.ok === true ? state.state : null;
  if (found?.run_id !== tip.run_id) return nothingRead;
  const tree = tip.tree === null ? null : parseTree({ kind: 'text', text: tip.tree });
  const root = tree?.ok === true ? tree.tree : null;
  return {
    title: titleOf(tip.goal),
    base_branch: found.base_branch,
    base_commit: found.base_commit,
    goal_sha256: found.goal_sha256,
    leaves: root === null ? null : leavesOf(root),
    isComplete: root?.passes === true,
  };
}

function leavesOf(root: TreeNode): RunRow['leaves'] {
  const { passed, total } = progressOf(root);
  return { passed, all: total };
}

function titleOf(goal: string | null): string {
  try {
    return goal === null ? '' : goalTitle(parseGoal(goal).body);
  } catch {
    return '';
  }
}

/** Times are in UTC and of one form, so that they sort as text. */
function latest(first: string | null, second: string | null): string | null {
  if (first === null || second === null) return first ?? second;
  return first > second ? first : second;
}
