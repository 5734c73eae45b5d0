/** Follows the readable log of a background run until the run has ended (§13.5). It only reads; the run does not notice it. */
import type { SignalName } from '../../core/types.ts';
import type { RunFiles, RunRecords } from '../../ports/runs.ts';
import type { Waiter } from '../../ports/sessions.ts';

export interface FollowRunPorts {
  readonly records: Pick<RunRecords, 'load'>;
  readonly files: Pick<RunFiles, 'followProgress'>;
  readonly waiter: Waiter;
}

export interface FollowRunRequest {
  readonly run_id: string;
  /** How many lines of what is there already; all that follow are told. */
  readonly tail: number;
  /** False: what is there, and no more. */
  readonly isFollowed: boolean;
  /** First those that are there, even if there are none. Waited for; false: nobody listens any more. */
  readonly onLines: (lines: readonly string[]) => Promise<boolean>;
}

const lookEveryMs = 200;

/** The signal that ended it; null: the run has ended, or nobody listens. */
export async function followProgress(
  ports: FollowRunPorts,
  { run_id, tail, isFollowed, onLines }: FollowRunRequest,
): Promise<SignalName | null> {
  const lines = ports.files.followProgress(run_id);
  try {
    const first = await lines.readNew();
    const last = tail === 0 ? [] : first.slice(-tail);
    if (!(await onLines(last))) return null;
    if (!isFollowed) return null;
    for (;;) {
      // Looked at first: when nobody is at work then, all that is read afterwards is the last of it.
      const found = await ports.records.load(run_id);
      const next = await lines.readNew();
      if (next.length > 0 && !(await onLines(next))) return null;
      if (found?.kind !== 'record' || !found.is_alive) return null;
      const signal = await ports.waiter.wait({ ms: lookEveryMs, onTick: () => {} });
      if (signal !== null) return signal;
    }
  } finally {
    await lines.close();
  }
}
