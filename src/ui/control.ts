/**
 * What the server of `runner ui --control` gets from the composition root beyond reading: background runs, and the few changes that
 * pages may ask for. Types only; the server itself starts no process and writes nothing.
 */
import type {
  ControlAnswer,
  RunAction,
  RunAnswer,
  RunView,
  StartRequest,
} from '../core/views/control-api.ts';

/** Every method is asked with the real path of the project and may throw RunnerError. */
export interface RunsSource {
  /** Contract: every background run of the repository, newest first; none outside of git. */
  list(projectDir: string): Promise<readonly RunView[]>;
  /** Contract: null when no record has this id. At most `tailLines` lines of its progress. */
  show(
    projectDir: string,
    asked: { readonly run_id: string; readonly tailLines: number },
  ): Promise<RunAnswer | null>;
  /** Contract: what the dialog for a new run begins with. */
  proposal(projectDir: string): Promise<ControlAnswer>;
  /** Contract: by id, a text that changes with the record, the progress and the life of the process. */
  stamps(projectDir: string): Promise<ReadonlyMap<string, string>>;
  /** Contract: folders in which a change may be seen, as absolute paths; none outside of git. */
  folders(projectDir: string): Promise<readonly string[]>;
}

/** Every change leaves an audit line in the record of its run. */
export interface Control extends RunsSource {
  /** Contract: returns when the run has a record; it goes on by itself. */
  start(projectDir: string, request: StartRequest): Promise<{ readonly run_id: string }>;
  /** Contract: returns when the run has stopped, or works again. */
  act(projectDir: string, asked: { readonly run_id: string; readonly action: RunAction }): Promise<void>;
  /** Contract: the answer is part of the run's next prompt. `run_id` null: the run of the folder itself. */
  answer(
    projectDir: string,
    asked: { readonly question: string; readonly text: string; readonly run_id: string | null },
  ): Promise<{ readonly is_queued: boolean }>;
}
