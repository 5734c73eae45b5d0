/** What the server gets from the composition root: the data of `runner status` and `runner config list`, and who is at work. Types only. */
import type { TreeNode } from '../core/types.ts';
import type { OpenIteration } from '../core/views/overview.ts';
import type { ProjectAnswer } from '../core/views/web-api.ts';

/** An iteration that is open; `is_running`: a runner is at work on it. */
export interface OpenWork {
  readonly iteration: OpenIteration;
  readonly is_running: boolean;
}

/** Every method is asked with the real path of the project, may throw RunnerError, and writes nothing. */
export interface UiSource {
  /** Contract: the value that `runner status --json` prints. */
  status(projectDir: string): Promise<unknown>;
  /** Contract: the tree in its file, checked once for as long as the file is the same; `status` is of that one, too. */
  tree(projectDir: string): TreeNode;
  /** Contract: the value that `runner config list --json` prints. */
  config(projectDir: string): Promise<unknown>;
  /** Contract: title of the goal and open questions by their numbers; nothing of either where there is none. */
  project(projectDir: string): Promise<ProjectAnswer>;
  /** Contract: the open iteration; null: there is none. */
  openWork(projectDir: string): Promise<OpenWork | null>;
  /** Contract: background runs that a process works on; none outside of git. */
  liveRuns(projectDir: string): Promise<ReadonlySet<string>>;
  /** Contract: files outside the project that say who is at work, as absolute paths; none outside of git. */
  privateFiles(projectDir: string): Promise<readonly string[]>;
}
