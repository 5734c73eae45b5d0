/** What the app needs from git's history: commits, trees, files of both, and what was rescued. Types only; it changes nothing but files it is told to write. */
import type { TreeFile } from '../core/guard/ratchet.ts';
import type { SourceText } from '../core/types.ts';

export interface TreeRange {
  /** Commit or tree. */
  readonly from: string;
  readonly to: string;
  /** With the files of `.runner/`, which are left out otherwise. */
  readonly whole?: boolean;
}

/** `iter`: the newest iteration that changed it. */
export interface ToolFile {
  readonly path: string;
  readonly iter: number;
}

/** What commits and the index hold. Reads only, but for the file it is told to write. */
export interface GitHistory {
  /** Contract: paths (relative to the top, sorted) that differ. */
  changedPaths(range: TreeRange): Promise<readonly string[]>;
  /** Contract: whether everything that a tree holds is still there. */
  isWhole(tree: string): Promise<boolean>;
  /** Contract: throws GIT_FAILED unless the commit and its files of `.runner/` are what their ids say (§14). */
  requireTrueFiles(commit: string): Promise<void>;
  /**
   * Contract: paths of the work `to`, which is on disk now, that a fresh checkout would write with other bytes or another mode, where
   * this comes from `.gitattributes` files that differ from those of `from` (§14). No such file changed: no work. Changes nothing.
   */
  listOtherBytes(range: Pick<TreeRange, 'from' | 'to'>): Promise<readonly string[]>;
  /** Contract: files and links of a commit or tree, of these paths only, or all (null); no submodules. One git call. */
  listTreeFiles(request: {
    readonly tree: string;
    readonly paths: readonly string[] | null;
  }): Promise<readonly TreeFile[]>;
  /** Contract: texts by blob id; left out: what git no longer has, and what is larger than a script. */
  loadBlobTexts(oids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Contract: every path of a commit or tree, relative to the top. */
  listPaths(tree: string): Promise<ReadonlySet<string>>;
  /** Contract: a patch of bounded size into the file; says whether it had to be cut, and like `changedPaths` what it is about. */
  saveDiff(
    range: TreeRange & {
      readonly file: string;
      readonly bytesMax: number;
      /** With the bytes of files that are no text; without it git only says that they differ. */
      readonly binary?: boolean;
    },
  ): Promise<{ readonly cut: boolean; readonly paths: readonly string[] }>;
  /** Contract: the start of a patch as text, with a last line that says so when it is cut; from `orFrom` when `from` is no longer there. */
  loadDiff(range: TreeRange & { readonly orFrom: string; readonly bytesMax: number }): Promise<string>;
  /** Contract: the bytes of blobs by their ids; one git call. */
  loadBlobs(oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Contract: a file of a commit, relative to the project folder, as judged text. */
  loadText(request: { readonly commit: string; readonly path: string }): Promise<SourceText>;
  /** Contract: the staged text of a project file, honouring the index a hook was given; missing when not staged. */
  loadStaged(path: string): Promise<SourceText>;
  /** Contract: the files under `.runner/` of a commit, paths relative to it, with blob ids and modes; one git call. */
  listRunnerFiles(
    commit: string,
  ): Promise<readonly { readonly path: string; readonly oid: string; readonly mode: string }[]>;
  /** Contract: the commit of (run, iter) on the branch above the given one, or null; below it a session may have copied our subject. */
  findIteration(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly above: string;
  }): Promise<string | null>;
  /** Contract: subject of a person's commit above the runner's newest one that changed a project file; null when there is none. */
  personsSubject(path: string): Promise<string | null>;
  /** Contract: the newest commit up to `at` that recorded an iteration of the run, or before the first its bootstrap commit; null: neither. */
  findOwnCommit(request: {
    readonly run_id: string;
    readonly iter: number;
    readonly at: string;
  }): Promise<string | null>;
  /** Contract: whether the message of a commit of this branch above `base` (null: any) has exactly this line. */
  hasMessageLine(request: { readonly line: string; readonly base: string | null }): Promise<boolean>;
  /**
   * Contract: every version of a project file on the first-parent line of a commit, oldest first, with the subject of its commit; the
   * id is null where it was removed.
   */
  listFileVersions(request: {
    readonly path: string;
    readonly at: string;
  }): Promise<readonly { readonly subject: string; readonly oid: string | null }[]>;
  isAncestor(request: { readonly ancestor: string; readonly descendant: string }): Promise<boolean>;
  /** Contract: files that other programs execute and that sessions of the run changed, by path; from the trailers on its branch. */
  toolFiles(runId: string): Promise<readonly ToolFile[]>;
}

/** One ref under `refs/runner/rescue/`. Counts and patch are against the first parent. */
export interface RescueEntry {
  readonly ref: string;
  readonly run_id: string;
  /** Null: it was not saved in an iteration. */
  readonly iter: number | null;
  readonly commit: string;
  /** Commit, or the empty tree for a commit without one. */
  readonly parent: string;
  readonly subject: string;
  readonly saved_at: string;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** What the runner took out of the work tree and kept. Reads only. */
export interface GitRescue {
  /** Contract: by ref; what is no commit any more is left out. */
  listRescues(): Promise<readonly RescueEntry[]>;
  /** Contract: those of the paths whose file on disk is there and differs from the commit's. */
  differingPaths(request: {
    readonly commit: string;
    readonly paths: readonly string[];
  }): Promise<readonly string[]>;
}
