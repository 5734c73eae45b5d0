/** Finds who holds the lock, and waits until it no longer does, for read-only commands: usually nobody, and then nothing more is loaded. */
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LockHolder } from '../../ports/sessions.ts';

export async function loadHolder(file: string): Promise<LockHolder | null> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;

  const { holderOf } = await import('./lock.ts');
  return holderOf(file);
}

const lookMs = 100;

/** Returns when the lock is free or somebody else's. */
export async function waitForRelease(file: string, holder: LockHolder): Promise<void> {
  for (;;) {
    const now = await loadHolder(file);
    if (now === null || now.pid !== holder.pid || now.started_at !== holder.started_at) return;

    await sleep(lookMs);
  }
}
