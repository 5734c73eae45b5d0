/** What the app needs for the work trees of background runs (§13.1): git's part of them, and the files that go there. Types only. */

export interface WorkTreeRequest {
  readonly path: string;
  readonly branch: string;
  /** Where the branch begins if there is none yet. */
  readonly commit: string;
  /** Why it is locked: the run and its process. */
  readonly reason: string;
}

export interface WorkTrees {
  /** Contract: whether git knows the folder as a work tree of this repository, and its files are there. */
  isThere(path: string): Promise<boolean>;
  /**
   * Contract: a locked work tree on the branch, made if there is none; no hook runs. What git still knows of one that was deleted by hand
   * is replaced. Everything is written to the common git folder and to the path; the checkout stays as it is, index included. One
   * that fails leaves neither a branch nor a folder that it made.
   */
  add(request: WorkTreeRequest): Promise<void>;
  /** Contract: the reason of the lock is this one now. */
  lock(request: Pick<WorkTreeRequest, 'path' | 'reason'>): Promise<void>;
  /** Contract: submodules that this repository has are filled from its own objects; one note for each that could not be. */
  fillSubmodules(path: string): Promise<readonly string[]>;
  /**
   * Contract: what `.worktreeinclude` names and git ignores is copied from the checkout; no link is followed, nothing is overwritten,
   * links out of the checkout are left out. Returns how many files.
   */
  copyIncluded(path: string): Promise<number>;
}
