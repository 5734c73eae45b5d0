/** What the app needs from git. Types only; a method throws only RunnerError, and a failed one leaves index and branch as they were. */
import type { SourceText } from '../core/types.ts';

export interface DirtyPath {
  /** Porcelain v2 XY code, `??` for untracked. */
  readonly code: string;
  /** Relative to the top of the work tree. */
  readonly path: string;
}

export interface GitSnapshot {
  /** Null: no commit yet. */
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  /** Sorted by path by code point; dirt inside submodules is not here. */
  readonly dirty: readonly DirtyPath[];
  /** Git repositories inside the work tree that are not submodules. */
  readonly nested_repositories: readonly string[];
  readonly dirty_submodules: readonly string[];
  /** As `workTreeId` says it, when it had to be found out anyway. */
  readonly work_tree: string | null;
}

export interface RunBranch {
  readonly run_id: string;
  readonly branch: string;
  readonly commit: string;
  /** Name of the remote when the branch exists only there. */
  readonly remote: string | null;
}

export interface SettleRequest {
  readonly run_id: string;
  readonly iter: number;
  readonly branch: string;
  readonly baseline: string;
  /**
   * True: the branch goes back to the baseline even from commits on top of it, which are saved under rescue; and nested repositories
   * are not looked for, because ignore rules may have to be put back first.
   */
  readonly exact?: boolean;
  /**
   * Done while git looks at the work, when branch and HEAD are in order. It may touch `.runner/` alone, where git does not look, and
   * is not called where the work is not looked at.
   */
  readonly meanwhile?: () => Promise<unknown>;
}

export interface Settled {
  /** The branch's commit: B, or the session's own commit above it. */
  readonly head: string;
  /** One for each thing that was done, sorted. */
  readonly notes: readonly string[];
  /** As `workTreeId` says it; null when it was not looked for (`exact`). */
  readonly work_tree: string | null;
}

export interface CommitRequest {
  readonly branch: string;
  /** The branch must still point here; it becomes the parent. */
  readonly parent: string;
  /** Tree id of everything outside `.runner/`. */
  readonly work_tree: string;
  readonly message: string;
  readonly run_hooks: boolean;
  /** Carried by the hooks' processes. */
  readonly cookie: string;
  readonly sign: boolean;
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly commit: string }
  | { readonly kind: 'hook_refused'; readonly output: string };

/** Where trees come from, so that one that somebody cleaned away can be made again. */
export interface TreeOrigin {
  /** The commit the earlier tree was taken from. */
  readonly baseline: string;
  /** The commit that holds the later one; null: it is the work on disk. */
  readonly committed: string | null;
}

/** One file of a commit. */
export interface FileCommit {
  readonly parent: string;
  /** Relative to the project folder. */
  readonly path: string;
  readonly text: string;
  readonly message: string;
  readonly sign: boolean;
}

export interface GitManager {
  /** Contract: top of the work tree and project folder; throws GIT_MISSING, GIT_NOT_A_REPO. Reads only. */
  locate(): Promise<{ readonly top: string; readonly git_dir: string; readonly prefix: string }>;
  /** Contract: the branch that is checked out, null when detached; without a process where HEAD is a plain file. */
  headBranch(): Promise<string | null>;
  /** Contract: one status call. Reads only, takes no git lock. */
  snapshot(): Promise<GitSnapshot>;
  /** Contract: submodules with changed content, sorted; no call at all in a repository without submodules. */
  dirtySubmodules(): Promise<readonly string[]>;
  /** Contract: throws GIT_IDENTITY, GIT_LOCKED (foreign git lock, with the rm command), GIT_UNSUPPORTED (sparse checkout). */
  checkReady(): Promise<void>;
  /** Contract: tree id of everything outside `.runner/` as it is on disk now; the user's index is not touched. */
  workTreeId(): Promise<string>;
  /** Contract: tree id of everything a commit would hold now, the runner's files included; index and branch are not touched. */
  wholeTreeId(): Promise<string>;
  /** Contract: whether everything that a tree holds is still there. */
  isWhole(tree: string): Promise<boolean>;
  /** Contract: paths (relative to the top, sorted) that differ between two trees. */
  changedPaths(range: {
    readonly from: string;
    readonly to: string;
    readonly origin?: TreeOrigin;
  }): Promise<readonly string[]>;
  /** Contract: every path of a commit or tree, relative to the top. */
  listPaths(tree: string): Promise<ReadonlySet<string>>;
  /**
   * Contract: begins to look at the work for the `settle` that comes next, while something else is done; never throws. Nobody changes
   * the work from now on.
   */
  expectWork(): void;
  /** Contract: what `expectWork` began and nobody used is over; never throws. Comes before the lock is given back. */
  stopExpecting(): Promise<void>;
  /**
   * Contract: writes what a commit of the work as it was last looked at would need, with these files of `.runner/` (relative to the
   * project folder) in place of the parent's: objects that nothing refers to. Does nothing where it would not save time. Throws DISK.
   */
  expectCommit(request: {
    readonly parent: string;
    readonly files: readonly { readonly path: string; readonly text: string }[];
  }): Promise<void>;
  /** Contract: begins to work out what `saveDiff` of this range needs, while something else runs; never throws. */
  expectDiff(range: { readonly from: string; readonly to: string; readonly bytesMax: number }): void;
  /**
   * Contract: a patch of bounded size into the file; says whether it had to be cut. With an origin every object in which `to` differs is
   * there when it returns, written again where it was gone.
   */
  saveDiff(range: {
    readonly from: string;
    readonly to: string;
    readonly file: string;
    readonly bytesMax: number;
    /** With the bytes of files that are no text; without it git only says that they differ. */
    readonly binary?: boolean;
    readonly origin?: TreeOrigin;
  }): Promise<{ readonly cut: boolean }>;
  /** Contract: the start of a patch as text, with a last line that says so when it is cut; from `orFrom` when `from` is no longer there. */
  loadDiff(range: {
    readonly from: string;
    readonly orFrom: string;
    readonly to: string;
    readonly bytesMax: number;
    readonly origin?: TreeOrigin;
  }): Promise<string>;
  /** Contract: bytes of a file of a commit, relative to the project folder; null when absent there. */
  loadFile(request: { readonly commit: string; readonly path: string }): Promise<Uint8Array | null>;
  /** Contract: the files under `.runner/` of a commit, paths relative to it, with their blob ids; one git call. */
  listRunnerFiles(commit: string): Promise<readonly { readonly path: string; readonly oid: string }[]>;
  /** Contract: the same as judged text. */
  loadText(request: { readonly commit: string; readonly path: string }): Promise<SourceText>;
  /**
   * Contract: after a session: HEAD and branch put back (§5), other tips saved under rescue, merge state ended, nested
   * repositories' `.git` moved aside, dead git locks of the session removed. Touches no file of the work. Idempotent.
   */
  settle(request: SettleRequest): Promise<Settled>;
  /**
   * Contract: one commit of `work_tree` plus the tracked files of `.runner/` as they are on disk; moves the branch only from `parent`;
   * then the user's index equals the commit. On failure (GIT_FAILED) index and branch are as before.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Contract: object of a commit with the parent's files and only this one changed; moves nothing, runs no hook. */
  buildFileCommit(request: FileCommit): Promise<string>;
  /**
   * Contract: moves the branch from the commit's parent to it; in the user's index only the entry of that file changes: what is
   * staged stays staged. Writes no file of the work tree. On failure index and branch are as before.
   */
  installFileCommit(request: {
    readonly branch: string;
    readonly parent: string;
    readonly commit: string;
    readonly path: string;
  }): Promise<void>;
  /** Contract: after a crash behind the commit: the user's index equals it, when the branch still ends there; idempotent. */
  finishCommit(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: the commit of (run, iter) on the branch above the given one, or null; below it a session may have copied our subject. */
  findIteration(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly above: string;
  }): Promise<string | null>;
  /** Contract: subject of a person's commit above the runner's newest one that changed a project file; null when there is none. */
  personsSubject(path: string): Promise<string | null>;
  isAncestor(request: { readonly ancestor: string; readonly descendant: string }): Promise<boolean>;
  /** Contract: saves the commit, or the work on disk on top of `parent`, under refs/runner/rescue/<run>/<n>[-k]; returns the ref. */
  rescueWork(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly parent: string;
    /** Tree id of the work as it once was, instead of what is on disk. */
    readonly workTree?: string;
  }): Promise<string>;
  /** Contract: local and remote `runner/*` branches, sorted by id; a local one hides its remotes. */
  listRunBranches(): Promise<readonly RunBranch[]>;
  /** Contract: first 8 characters of HEAD. */
  shortHead(): Promise<string>;
  /** Contract: checks out a known run branch (tracking when remote-only) without hooks; GIT_DIRTY with git's words when it refuses. */
  switchTo(branch: RunBranch): Promise<void>;
  /** Contract: object of the bootstrap commit (HEAD's files plus `.runner/` on disk); moves nothing. Null when nothing differs from HEAD. */
  buildStartCommit(request: { readonly parent: string; readonly message: string }): Promise<string | null>;
  /** Contract: branch created or moved to the commit, HEAD on it, index equal to it; idempotent. */
  finishStart(request: { readonly branch: string; readonly commit: string }): Promise<void>;
  /** Contract: paths of the run's first bootstrap commit, relative to the top. */
  bootstrapPaths(runId: string): Promise<ReadonlySet<string>>;
  /**
   * Contract: puts paths (relative to the top) back to their bytes and mode at the commit or tree; what stood there was saved by the
   * caller. A submodule is left as it is.
   */
  restorePaths(request: { readonly commit: string; readonly paths: readonly string[] }): Promise<void>;
}

/** For commands that only look. */
export interface GitGlance extends Pick<GitManager, 'locate' | 'headBranch' | 'loadText'> {
  /** Contract: the staged text of a project file, honouring the index a hook was given; missing when not staged. */
  loadStaged(path: string): Promise<SourceText>;
}
