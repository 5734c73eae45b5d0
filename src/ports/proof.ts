/** What the app needs to check the history of a run (§15): commits, files and differences, many at once. Types only; it changes nothing. */
import type { Change, Entries, LineCommit } from '../core/proof/transition.ts';
import type { SourceText } from '../core/types.ts';

export interface CommitPair {
  readonly from: string;
  readonly to: string;
}

export interface ProofHistory {
  /** Contract: the first-parent line of a commit, newest first; `base`: up to it, where it is on the way, without it. */
  listLine(request: { readonly tip: string; readonly base: string | null }): Promise<readonly LineCommit[]>;
  /** Contract: whether commits are missing because the clone was made without them; those at the end have no parents then. */
  isShallow(): Promise<boolean>;
  /** Contract: a file of `.runner/` in many commits, in their order. One git call. */
  loadFiles(
    files: readonly { readonly commit: string; readonly path: string }[],
  ): Promise<readonly SourceText[]>;
  /** Contract: tree ids of everything outside `.runner/`, in the order of the commits; null: not known. One git call. */
  listWork(commits: readonly string[]): Promise<readonly (string | null)[]>;
  /** Contract: what differs between two commits, in the order of the pairs; paths from the top. One git call. */
  listChanges(pairs: readonly CommitPair[]): Promise<readonly (readonly Change[])[]>;
  /** Contract: files and links of these paths in each commit, in the order of the commits. One git call. */
  listEntries(request: {
    readonly commits: readonly string[];
    readonly paths: readonly string[];
  }): Promise<readonly Entries[]>;
  /** Contract: commits of any branch whose message names the commit as `Runner-Tip`. */
  listFinishes(tip: string): Promise<readonly LineCommit[]>;
}
