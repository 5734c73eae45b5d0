/**
 * Only one `runner eval run` at a time works on a batch: two would run the same trials twice. The lock's holder also ends
 * processes that a killed harness left. Touches only processes that carry the mark of exactly this batch.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { workTreeLock } from '../../adapters/processes/lock.ts';
import { processTable } from '../../adapters/processes/process-table.ts';
import { sweepSession } from '../../adapters/processes/sweep.ts';
import { batchFileName, batchLockName } from '../cases/names.ts';
import type { Batch } from '../cases/types.ts';
import type { Clock, Lock } from '../../ports/sessions.ts';
import type { ResultsFolders } from './place.ts';

const batchVariable = 'RUNNER_EVAL_BATCH';

/** Before it stops, a runner ends its session and commits the work. */
const graceMs = 60_000;

export function batchLock(
  { resultsDir, root }: ResultsFolders,
  given: { readonly batch_id: string; readonly clock: Clock; readonly onNote: (message: string) => void },
): Lock {
  return workTreeLock({
    file: join(resultsDir, batchLockName(given.batch_id)),
    root,
    quarantineDir: join(resultsDir, '.quarantine'),
    clock: given.clock,
    onNote: given.onNote,
  });
}

/** Throws LOCKED when somebody works on one of these batches now. */
export async function checkIdle(
  place: ResultsFolders,
  batches: readonly Pick<Batch, 'batch_id'>[],
  clock: Clock,
): Promise<void> {
  for (const { batch_id } of batches) await batchLock(place, { batch_id, clock, onNote: () => {} }).check();
}

/** What every program of a batch carries: no path, for it would lead an agent to the cases. The time tells it from an earlier batch of this name. */
export function batchVariables(
  { resultsDir }: Pick<ResultsFolders, 'resultsDir'>,
  { batch_id, created_at }: Pick<Batch, 'batch_id' | 'created_at'>,
): Readonly<Record<string, string>> {
  const name = `${join(resultsDir, batchFileName(batch_id))} ${created_at}`;
  return { [batchVariable]: createHash('sha256').update(name).digest('hex') };
}

/** Only for who holds the lock. Descriptions of what had to be ended. Throws PROCESS_ALIVE. */
export function endLeftovers(
  place: Pick<ResultsFolders, 'resultsDir'>,
  batch: Pick<Batch, 'batch_id' | 'created_at'>,
): Promise<readonly string[]> {
  const table = processTable();
  const [mark = ''] = Object.entries(batchVariables(place, batch)).map(([name, value]) => `${name}=${value}`);
  return sweepSession({
    cookie: '',
    groupId: null,
    graceMs,
    table: { ...table, listSession: () => table.listMarked(mark) },
  });
}
