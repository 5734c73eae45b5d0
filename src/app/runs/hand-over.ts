/** The record of a run goes from the starter of its process to that process: `run list` tells the truth from then on (§13.4). */
import type { ProcessOwner } from '../../core/runs/record.ts';
import type { RepositoryLock, RunRecords } from '../../ports/runs.ts';

export interface HandOverPorts {
  readonly records: Pick<RunRecords, 'load' | 'save' | 'self'>;
  readonly lock: RepositoryLock;
}

/** Nothing to do when the process was faster, or has ended by now. */
export async function handOver(
  { records, lock }: HandOverPorts,
  { run_id, owner }: { readonly run_id: string; readonly owner: ProcessOwner | null },
): Promise<void> {
  if (owner === null) return;
  await lock.hold('runner run', async () => {
    const found = await records.load(run_id);
    if (found?.kind !== 'record') return;
    const { pid } = await records.self();
    const isFree = !found.is_alive || found.record.owner?.pid === pid;
    if (isFree && found.record.finished_at === null) await records.save({ ...found.record, owner });
  });
}
