/**
 * What the app needs for the guard's runs in a clone of its own (§14): the clone, and the setup that makes it ready. Types only; nothing
 * in the work tree is touched by any of it.
 */
import type { CloneEnd } from '../core/guard/clone-verdict.ts';
import type { GuardRequest } from './sessions.ts';

export interface CloneRequest {
  readonly run_id: string;
  /** The branch the clone is on. */
  readonly branch: string;
  /** B: parent of the candidate, whose `.runner/` it has, if any. */
  readonly baseline: string;
  /** Tree id of everything outside `.runner/`. */
  readonly work_tree: string;
}

export interface JudgeClone {
  /** What is removed in the end. */
  readonly folder: string;
  /** The candidate. */
  readonly commit: string;
  /** Top of its work tree. */
  readonly top: string;
  readonly projectDir: string;
  /** What could not be made as in the work tree, one line each. */
  readonly notes: readonly string[];
}

export interface Judge {
  /**
   * Contract: a fresh clone outside the repository, with a git folder of its own, checked out at the candidate, which
   * `refs/runner/hold/<run>` keeps from being pruned. Throws GIT_FAILED or DISK when it cannot be made; then nothing of it is left.
   */
  open(request: CloneRequest): Promise<JudgeClone>;
  /** Contract: tree id of everything outside `.runner/` in the clone; the repository has its objects. */
  workTreeId(clone: JudgeClone): Promise<string>;
  /** Contract: these paths (relative to the top) are in the clone as in the tree. */
  layBack(
    clone: JudgeClone,
    request: { readonly tree: string; readonly paths: readonly string[] },
  ): Promise<void>;
  /** Contract: files and folders of the work tree that no commit would hold and the clone lacks, sorted; folders end in `/`. */
  listMissing(clone: JudgeClone): Promise<readonly string[]>;
  /** Contract: the clone is gone; what cannot be removed now goes with a later `sweep`. Never throws. */
  remove(clone: JudgeClone): Promise<void>;
  /** Contract: clones of this repository whose runner is gone are removed. Never throws. */
  sweep(): Promise<void>;
}

/** `[automation] setup`. */
export interface SetupRunner {
  /**
   * Contract: runs the commands one after the other in the clone's project folder, each with its own time limit and with the guard's
   * environment; ends at the first that fails. Replaces setup.log; no command: no log.
   */
  run(
    request: Omit<GuardRequest, 'deadlineMs' | 'clone'> & { readonly clone: JudgeClone },
  ): Promise<{ readonly end: CloneEnd; readonly duration_ms: number }>;
}
