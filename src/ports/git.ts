/**
 * What the app needs from git, split by what it asks: look, settle, record, history, branches. Types only; a method throws only
 * RunnerError, and a failed call leaves index and branch as they were.
 */
import type { GitHistory, GitRescue } from './git-history.ts';
import type { LaidFile } from '../core/guard/ratchet.ts';
import type { RunTip } from '../core/runs/run-list.ts';
import type { PushAnswer } from '../core/runs/push.ts';

export interface DirtyPath {
  /** Porcelain v2 XY code, `??` for untracked. */
  readonly code: string;
  /** Relative to the top of the work tree. */
  readonly path: string;
}

/** A branch, tag or stash and the object it names. */
export interface RefTip {
  readonly name: string;
  readonly id: string;
  /** The ref it points to when it is symbolic, else empty. */
  readonly symref: string;
  /** Whether HEAD is on it. */
  readonly is_head: boolean;
}

export interface GitSnapshot {
  /** Null: no commit yet. */
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  /** Sorted by path by code point; dirt inside submodules is not here. */
  readonly dirty: readonly DirtyPath[];
  /** Git repositories inside the work tree that are not submodules, sorted. */
  readonly nested_repositories: readonly string[];
  readonly dirty_submodules: readonly string[];
  /** False: flags in the index hide changes from git. */
  readonly is_index_plain: boolean;
}

/** Where the project is: top of the work tree, its git folder, and the project folder inside (`''` or ending in `/`). */
export interface GitLocation {
  readonly top: string;
  readonly git_dir: string;
  /** The git folder that all work trees of the repository share. */
  readonly common_dir: string;
  readonly prefix: string;
}

/** What is there now. Reads only; the user's index and all refs stay as they are. */
export interface GitLook {
  /** Contract: throws GIT_MISSING, GIT_NOT_A_REPO, GIT_UNSUPPORTED (core.worktree leads elsewhere). */
  locate(): Promise<GitLocation>;
  /** Contract: the branch that is checked out, null when detached. */
  headBranch(): Promise<string | null>;
  /** Contract: one status call; changes hidden by index flags are listed, too. Takes no git lock. */
  snapshot(): Promise<GitSnapshot>;
  /**
   * Contract: what steers git (settings, hooks, ignore and attribute files, identity) is remembered, and every later call uses just that:
   * what a session changes is put back before the next call. Called again, it takes what is there then. Survives a crash.
   */
  remember(): Promise<void>;
  /** Contract: the session that follows can write neither the git folder nor git's settings, so a person's changes there stay. */
  wallOff(): Promise<void>;
  /** Contract: everything is as remembered again, what was there instead is kept under this number; `settle` tells what was done. */
  putBack(iter: number): Promise<void>;
  /** Contract: put back for the last time; from now on changes stay. One note for each thing put back. */
  forget(): Promise<readonly string[]>;
  /** Contract: every ref and stash entry that a person could miss; kept for `settle` after a crash. */
  listRefs(): Promise<readonly RefTip[]>;
  /** Contract: submodules with changed content, sorted; no call at all in a repository without submodules. */
  dirtySubmodules(): Promise<readonly string[]>;
  /** Contract: throws GIT_IDENTITY, GIT_UNSUPPORTED (sparse checkout). */
  checkSetup(): Promise<void>;
  /** Contract: throws GIT_LOCKED with the owner of a foreign lock that stays; starts no process of git. */
  checkLocks(branch: string | null): Promise<void>;
  /** Contract: tree id of everything outside `.runner/` at HEAD, for a work tree whose snapshot is clean: no second scan. */
  baselineTreeId(request: { readonly commit: string; readonly is_index_plain: boolean }): Promise<string>;
  /** Contract: tree id of everything outside `.runner/` as it is on disk now. */
  workTreeId(): Promise<string>;
  /** Contract: tree id of everything a commit would hold now, the runner's files included. */
  wholeTreeId(): Promise<string>;
  /** Contract: from now on a call of git may take this long; after a signal at most 20 seconds. */
  limitCalls(timeoutMs: number): void;
}

export interface SettleRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly branch: string;
  readonly baseline: string;
  /** Refs as they were before; null: not known, so changes of others are not reported. */
  readonly refs_before: readonly RefTip[] | null;
  /**
   * True: the branch goes back to the baseline even from commits on top of it, which are saved under rescue; and nested repositories
   * are not looked for, because ignore rules may have to be put back first.
   */
  readonly exact?: boolean;
}

export interface Settled {
  /** The branch's commit: B, or the session's own commit above it. */
  readonly head: string;
  /** One for each thing that was done, sorted. */
  readonly notes: readonly string[];
  /** As `workTreeId` says it; null when it was not looked for (`exact`). */
  readonly work_tree: string | null;
  /** As they are now. */
  readonly refs: readonly RefTip[];
}

/** Puts things in order after a session, a guard or a crash. */
export interface GitSettle {
  /**
   * Contract: HEAD and branch put back (§5), other tips saved under rescue, merge state ended, nested repositories' `.git` moved
   * aside, the user's index rebuilt without hidden flags. Touches no file of the work. Idempotent.
   */
  settle(request: SettleRequest): Promise<Settled>;
  /**
   * Contract: puts paths (relative to the top) back to their bytes and mode at the commit or tree; what was there was saved by the
   * caller. A submodule is left as it is.
   */
  restorePaths(request: { readonly commit: string; readonly paths: readonly string[] }): Promise<void>;
  /** Contract: saves the work on disk on top of `parent` under refs/runner/rescue/<run>/<n>[-k]; returns the ref. */
  rescueWork(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly parent: string;
    /** Tree id of the work as it once was, instead of what is on disk. */
    readonly workTree?: string;
  }): Promise<string>;
}

/** Files of `.runner/` as they were decided, never as they are on disk. Paths relative to `.runner/`; null removes one. */
export type DecidedFiles = Readonly<Record<string, string | null>>;

export interface CommitRequest {
  readonly run_id: string;
  /** Whether `holdWork` keeps the work of this run, or may still do so after a crash. */
  readonly is_held: boolean;
  /** The commit makes a node pass, so every object of its tree is checked, not only those of `.runner/`. */
  readonly is_pass: boolean;
  readonly branch: string;
  /** The branch must still point here; it becomes the parent. */
  readonly parent: string;
  /** Tree id of everything outside `.runner/`. */
  readonly work_tree: string;
  /** The commit that provides the files of `.runner/`, apart from the decided ones and the agent's own. */
  readonly control: string;
  readonly files: DecidedFiles;
  readonly message: string;
  readonly run_hooks: boolean;
  /** Carried by the hooks' processes. */
  readonly cookie: string;
  readonly sign: boolean;
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string }
  | { readonly kind: 'hook_refused'; readonly output: string };

/** A commit of a few files. */
export interface FileCommit {
  readonly parent: string;
  /** By path relative to the project folder; null removes one. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly sign: boolean;
}

/** Makes commits and moves the run's branch. */
export interface GitRecord {
  /** Contract: `refs/runner/hold/<run>` keeps the tree from being pruned until `commit` moves the branch. */
  holdWork(request: { readonly run_id: string; readonly workTree: string }): Promise<void>;
  /** Contract: object of a tree with these files instead of its own; moves and holds nothing. Null: git no longer has one of the blobs. */
  makeLaidTree(request: {
    readonly tree: string;
    readonly files: readonly LaidFile[];
  }): Promise<string | null>;
  /** Contract: nothing is held for the run any more; fine when nothing was. */
  releaseWork(runId: string): Promise<void>;
  /**
   * Contract: one commit of `work_tree`, the decided files, the agent's own files of `.runner/` on disk and the rest of `.runner/`
   * from `control`; moves the branch only from `parent`; then the user's index equals the commit. On failure (GIT_FAILED) index and
   * branch are as before.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Contract: after a crash behind the commit: the user's index equals it, when the branch still ends there; idempotent. */
  finishCommit(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: object of a commit with the parent's files and only these changed; moves nothing, runs no hook. */
  buildFileCommit(request: FileCommit): Promise<string>;
  /**
   * Contract: moves the branch from the commit's parent to it; in the user's index only the entries of those files change: what is
   * staged stays staged. Writes no file of the work tree. On failure index and branch are as before.
   */
  installFileCommit(request: {
    readonly branch: string;
    readonly parent: string;
    readonly commit: string;
    readonly paths: readonly string[];
  }): Promise<void>;
}

export interface RunBranch {
  readonly run_id: string;
  readonly branch: string;
  readonly commit: string;
  /** Name of the remote when the branch exists only there. */
  readonly remote: string | null;
}

/** What `refs/runner/archive/<run-id>` holds: the last commit of a finished or abandoned run. */
export interface ArchivedRun {
  readonly run_id: string;
  readonly commit: string;
}

/** Run branches: known ones, switching, beginning. */
export interface GitBranches {
  /** Contract: by ref name. */
  listArchived(): Promise<readonly ArchivedRun[]>;
  /** Contract: ids in `Runner-Run` trailers of all commits reachable from HEAD, sorted; none without a commit. */
  listRecordedRuns(): Promise<readonly string[]>;
  /** Contract: local and remote `runner/*` branches, sorted by id; a local one hides its remotes. */
  listRunBranches(): Promise<readonly RunBranch[]>;
  /**
   * Contract: the last commit of every run that a branch or an archive holds, with its goal, run state and tree there; `prefixes`:
   * project folders of runs that are not of this one, by run.
   */
  listRunTips(prefixes: ReadonlyMap<string, string>): Promise<readonly RunTip[]>;
  /** Contract: first 8 characters of HEAD. */
  shortHead(): Promise<string>;
  /** Contract: whether a branch of this name is here. */
  hasBranch(branch: string): Promise<boolean>;
  /** Contract: makes a branch that is not there; HEAD and files stay as they are. */
  makeBranch(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: checks out a known run branch (tracking when remote-only) without hooks; GIT_DIRTY with git's words when it refuses. */
  switchTo(branch: RunBranch): Promise<void>;
  /** Contract: object of the bootstrap commit (HEAD's files plus `.runner/` on disk); moves nothing. Null when nothing differs from HEAD. */
  buildStartCommit(request: { readonly parent: string; readonly message: string }): Promise<string | null>;
  /** Contract: branch created or moved to the commit, HEAD on it, index equal to it; idempotent. */
  finishStart(request: { readonly branch: string; readonly commit: string }): Promise<void>;
}

export interface PushRequest {
  /** Where to, as `pushAddress` gave it. */
  readonly address: string;
  readonly branch: string;
  readonly run_hooks: boolean;
}

/** Sends the run branch to others (§13). */
export interface GitPush {
  /** Contract: where pushes to this remote go now. Throws CONFIG_INVALID when the repository has no such remote. */
  pushAddress(remote: string): Promise<string>;
  /** Contract: one plain push of a branch under its own name with the person's credentials; never forces, never prompts, ends in time. */
  push(request: PushRequest): Promise<PushAnswer>;
}

export interface GitPort extends GitLook, GitSettle, GitRecord, GitHistory, GitRescue, GitBranches, GitPush {}
