/** The short lock that all work trees of a repository share (§13.3). The work tree's lock with patience. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';
import type { RepositoryLock } from '../../ports/runs.ts';
import type { WorkTreeLock } from '../processes/lock.ts';
import { workTreeLock } from '../processes/lock.ts';

/** A work tree of a large repository is added or removed under the lock. */
const waitMs = 120_000;
const retryMs = 50;

export function repositoryLock(place: WorkTreeLock): RepositoryLock {
  const acquire = async (command: string): Promise<() => Promise<void>> => {
    // One for each holding: a process may hold it again and again.
    const lock = workTreeLock(place);
    const endMs = place.clock.monotonicMs() + waitMs;
    for (;;) {
      try {
        return await lock.acquire(command);
      } catch (error) {
        const isHeld = error instanceof RunnerError && error.code === 'LOCKED';
        if (!isHeld || place.clock.monotonicMs() > endMs) throw error;
      }
      await sleep(retryMs);
    }
  };
  return {
    hold: async (command, work) => {
      const release = await acquire(command);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}
