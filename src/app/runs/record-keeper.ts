/**
 * Keeps the record of a run while its process works (§13.4). What people asked for meanwhile is another process's to write, so every
 * save takes it from the disk, under the repository's lock; a run that somebody ended stays ended. A save that fails is tried again with the next change.
 */
import { endedStatuses } from '../../core/runs/record.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { RepositoryLock, RunRecords } from '../../ports/runs.ts';
import type { Clock } from '../../ports/sessions.ts';

/** What only tells how far it is waits this long. */
const calmMs = 1000;

export interface KeeperPorts {
  readonly records: Pick<RunRecords, 'load' | 'save'>;
  readonly lock: RepositoryLock;
  readonly clock: Clock;
}

export type RecordChange = Partial<Omit<RunRecord, 'version' | 'run_id' | 'audit'>>;

export interface RecordKeeper {
  current(): RunRecord;
  /** Contract: never waits. `isMinor`: saved at most about once a second. */
  change(change: RecordChange, options?: { readonly isMinor?: boolean }): void;
  /** Contract: what was changed is on disk; throws when it cannot be saved. */
  save(change?: RecordChange): Promise<void>;
}

export function recordKeeper({ records, lock, clock }: KeeperPorts, first: RunRecord): RecordKeeper {
  let current = first;
  let savedMs = -Infinity;
  let isDirty = false;
  let saving: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    isDirty = false;
    savedMs = clock.monotonicMs();
    await lock.hold('runner: keep a record', async () => {
      const found = await records.load(current.run_id);
      const onDisk = found?.kind === 'record' ? found.record : current;
      if (endedStatuses.has(onDisk.status)) {
        current = onDisk;
        return;
      }
      const { audit } = onDisk;
      current = { ...current, audit, updated_at: clock.nowIso() };
      await records.save(current);
    });
  };
  /** One after the other; changes that come meanwhile are in the next one. */
  const drain = async (): Promise<void> => {
    if (!isDirty) return;
    await write();
    await drain();
  };
  const begin = (): void => {
    saving ??= drain()
      .catch(() => {
        isDirty = true;
      })
      .finally(() => {
        saving = null;
      });
  };
  return {
    current: () => current,
    change: (change, { isMinor = false } = {}) => {
      current = { ...current, ...change };
      isDirty = true;
      if (!isMinor || clock.monotonicMs() - savedMs > calmMs) begin();
    },
    save: async (change = {}) => {
      current = { ...current, ...change };
      isDirty = true;
      await saving;
      await drain();
    },
  };
}
