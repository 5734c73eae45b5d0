/**
 * What the app needs of git and the disk to end whole runs (§12): merged trees, commits with the user's hooks, archive refs, work trees
 * that go elsewhere. Types only; a failed call leaves refs and files as they were.
 */
import type { Leftover } from '../core/runs/clean-plan.ts';
import type { IdleFile } from '../core/runs/idle-files.ts';
import type { CommitResult } from './git.ts';
import type { JudgeClone } from './judge.ts';

export interface WorkTree {
  readonly path: string;
  /** Null: detached. */
  readonly branch: string | null;
  /** False: its folder is gone. */
  readonly is_there: boolean;
}

/** What only a work tree has. */
export interface UnsavedWork {
  /** Relative to its top; ignored ones do not count. */
  readonly files: readonly string[];
  /** Its HEAD where no ref holds it, else null. */
  readonly commit: string | null;
  /** Folders of submodules with uncommitted files, or with commits that no ref elsewhere holds. */
  readonly submodules: readonly string[];
}

export interface MergeSides {
  readonly ours: string;
  readonly theirs: string;
}

/** `conflicts`: paths relative to the top, sorted; the tree counts only without any. */
export interface Merged {
  readonly tree: string;
  readonly conflicts: readonly string[];
}

export interface CloneCommit {
  /** Checked out at `tree`. */
  readonly clone: JudgeClone;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Sign it also where the user's settings do not say so. */
  readonly sign: boolean;
  readonly cookie: string;
}

export interface Archive {
  readonly run_id: string;
  readonly commit: string;
  /** UTC. */
  readonly committed_at: string;
}

/** Makes what a run becomes. Writes objects only. */
export interface RunMerges {
  /** Contract: the newest commit that both have; null: none. */
  mergeBase(sides: MergeSides): Promise<string | null>;
  /**
   * Contract: what `git merge` would make of both, with `.runner/` left out of it. Throws GIT_UNSUPPORTED where git is older than 2.38,
   * GIT_FAILED for histories that have nothing in common.
   */
  merge(sides: MergeSides): Promise<Merged>;
  /** Contract: the tree with exactly these files in `.runner/`. */
  layRunner(request: { readonly tree: string; readonly files: readonly IdleFile[] }): Promise<string>;
  /** Contract: a commit that no hook sees, unsigned. */
  makeCommit(request: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly message: string;
  }): Promise<string>;
  /**
   * Contract: a commit of exactly these bytes with the user's hooks, identity and signing; the repository has it. Hooks run in the
   * clone. One that refuses, or changes files, is a value.
   */
  commitInClone(request: CloneCommit): Promise<CommitResult>;
  /** Contract: the commit below `into` that finished the run at this tip; null: none. */
  findFinish(request: { readonly into: string; readonly tip: string }): Promise<string | null>;
}

/** Moves refs and work trees. Refs move only from the value that is expected. */
export interface RunPlaces {
  /** Contract: every work tree of the repository, the main one first. */
  listWorkTrees(): Promise<readonly WorkTree[]>;
  /** Contract: null when there is no such ref. */
  commitOf(ref: string): Promise<string | null>;
  /** Contract: whether git allows it as the name of a branch. */
  isBranchName(name: string): Promise<boolean>;
  /** Contract: tracked files with changes in a work tree, staged or not; sorted. */
  listChanged(path: string): Promise<readonly string[]>;
  /** Contract: `refs/runner/archive/<run>` is there; another commit it held is kept under rescue. Returns the ref. */
  archive(request: { readonly run_id: string; readonly commit: string }): Promise<string>;
  /** Contract: a branch that is checked out nowhere; `from` null: it is made. */
  moveBranch(request: {
    readonly branch: string;
    readonly from: string | null;
    readonly to: string;
    readonly reason: string;
  }): Promise<void>;
  /**
   * Contract: the branch of a work tree goes forward with its files, as `git merge --ff-only`; GIT_DIRTY in git's words. GIT_WRONG_BRANCH
   * where the work tree is not on it.
   */
  forward(request: { readonly path: string; readonly branch: string; readonly to: string }): Promise<void>;
  /**
   * Contract: a merge in the work tree that somebody must conclude; `.runner/` is as before. Returns the conflicts. GIT_WRONG_BRANCH
   * where the work tree is not on the branch.
   */
  beginMerge(request: {
    readonly path: string;
    readonly branch: string;
    readonly theirs: string;
    readonly message: string;
  }): Promise<readonly string[]>;
  /** Contract: the work tree is on the branch, or without one (null) at the commit. GIT_DIRTY in git's words. */
  leave(request: {
    readonly path: string;
    readonly branch: string | null;
    readonly commit: string;
  }): Promise<void>;
  /** Contract: the branch and its settings are gone; fine when they were. */
  dropBranch(request: { readonly branch: string; readonly from: string }): Promise<void>;
  /** Contract: whether a ref of the repository holds it. */
  isKept(commit: string): Promise<boolean>;
  /** Contract: reads only; nothing where there is no work tree. */
  findUnsaved(path: string): Promise<UnsavedWork>;
  /**
   * Contract: the work tree is gone, locked or not, with everything in it; its commits and files were saved by the caller. Returns the
   * folder where what was moved aside there is kept; null: there was nothing.
   */
  removeWorkTree(request: { readonly path: string; readonly run_id: string }): Promise<string | null>;
  listArchives(): Promise<readonly Archive[]>;
  /** Contract: bytes that only this ref keeps, about. */
  bytesOf(ref: string): Promise<number>;
  /** Contract: fine when there is none. */
  dropRef(ref: string): Promise<void>;
}

export interface RunEndings extends RunMerges, RunPlaces {}

/** What runs left on disk, apart from git's refs. */
export interface RunLeftovers {
  /** Contract: logs, own work tree and kept folder of the run that are there, with their sizes. `workTrees`: where its logs may be besides. */
  list(request: {
    readonly run_id: string;
    readonly work_trees: readonly string[];
    readonly prefix: string;
  }): Promise<readonly Leftover[]>;
  /** Contract: whether a work tree was made by the runner for this run: only such a one is ever removed. */
  isOwn(request: { readonly run_id: string; readonly path: string }): boolean;
  /** Contract: the folder is gone; what cannot be removed now stays. Throws for a folder that has not the run's id as its name. */
  remove(leftover: Pick<Leftover, 'run_id' | 'place'>): Promise<void>;
  /** Contract: logs that the work tree itself holds are where those of background runs are; nothing is overwritten. */
  keepLogs(request: {
    readonly run_id: string;
    readonly work_tree: string;
    readonly prefix: string;
  }): Promise<void>;
  /** Contract: no process of a session in this work tree is left, also when its folder is gone. Throws PROCESS_ALIVE. */
  endProcesses(workTree: string): Promise<void>;
  /** Contract: the readable log beside the record is gone. */
  removeProgress(runId: string): Promise<void>;
}
