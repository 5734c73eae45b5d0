/** Finds who holds the lock, for read-only commands: usually nobody, and then nothing more is loaded. */
import { lstatSync } from 'node:fs';
import type { LockHolder } from '../../ports/sessions.ts';

export async function loadHolder(file: string): Promise<LockHolder | null> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;

  const { holderOf } = await import('./lock.ts');
  return holderOf(file);
}
