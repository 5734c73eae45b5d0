/** Who holds the lock, for commands that only look: mostly nobody, and then nothing more is loaded. */
import { lstatSync } from 'node:fs';
import type { LockHolder } from '../../ports/sessions.ts';

export async function loadHolder(file: string): Promise<LockHolder | null> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;

  const { holderOf } = await import('./lock.ts');
  return holderOf(file);
}
