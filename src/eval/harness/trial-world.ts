/** What all trials of a batch share, and what they report while they run. Types, and the list of what a second signal has to end. */
import { processTable } from '../../adapters/processes/process-table.ts';
import { cookieVariable } from '../../adapters/processes/process-table.ts';
import { signalProcess, sweepSession } from '../../adapters/processes/sweep.ts';
import type { Env } from '../../core/types.ts';
import type { Batch, TrialKey, TrialRecord } from '../cases/types.ts';
import type { Clock, Hasher, Interrupts } from '../../ports/sessions.ts';
import type { LoadedCase } from './case-files.ts';
import type { Hide } from './hide.ts';
import type { EvalFolders } from './place.ts';
import type { EvalResults } from './results.ts';

export type TrialPhase = 'workspace' | 'start' | 'loop' | 'checks';

export type TrialEvent =
  | { readonly type: 'trial_started'; readonly key: TrialKey }
  | { readonly type: 'phase'; readonly key: TrialKey; readonly phase: TrialPhase }
  /** The loop has recorded an iteration: its line, as JSON. */
  | { readonly type: 'iteration'; readonly key: TrialKey; readonly step: Readonly<Record<string, unknown>> }
  | { readonly type: 'trial_ended'; readonly key: TrialKey; readonly record: TrialRecord };

export interface TrialWorld {
  readonly place: EvalFolders;
  readonly results: EvalResults;
  readonly batch: Pick<Batch, 'batch_id' | 'created_at'>;
  /** Program and first arguments that start this very runner. */
  readonly program: readonly string[];
  readonly env: Env;
  readonly runnerVersion: string;
  /** Hides cases and results from agents; null: that is not possible here. */
  readonly hide: Hide;
  readonly clock: Clock;
  readonly hasher: Hasher;
  readonly interrupts: Interrupts;
  readonly active: ActiveMarks;
  readonly onEvent: (event: TrialEvent) => void;
}

export interface TrialJob {
  readonly key: TrialKey;
  readonly loaded: LoadedCase;
  readonly isRecorded: boolean;
}

/** `NAME=value` entries by which the processes of running trials are known. */
export type ActiveMarks = Set<string>;

export function cookieMark(cookie: string): string {
  return `${cookieVariable}=${cookie}`;
}

/** Agent and guard of a run carry their own cookies; what they share is the variable that names their work tree. */
export function workTreeMark(workspace: string): string {
  return `RUNNER_WORK_TREE=${workspace}`;
}

/** At once, without waiting for anybody. */
export async function killMarked(marks: ReadonlySet<string>): Promise<void> {
  const table = processTable();
  // Twice: a runner that is still there may begin a session while the first round goes on.
  for (const mark of [...marks, ...marks])
    for (const pid of await table.listMarked(mark)) signalProcess(pid, 'SIGKILL');
}

/** After a runner that was killed: nobody else ends the sessions it had begun. Throws PROCESS_ALIVE. */
export async function endWorkTree(workspace: string): Promise<void> {
  const table = processTable();
  const mark = workTreeMark(workspace);
  await sweepSession({
    cookie: '',
    groupId: null,
    graceMs: 2000,
    table: { ...table, listSession: () => table.listMarked(mark) },
  });
}
