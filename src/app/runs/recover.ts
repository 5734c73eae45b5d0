/** Closes what a crash left open in a work tree (§7), and begins nothing new. */
import type { Ports } from '../../ports/ports.ts';
import { recover } from '../recover.ts';
import { withLock } from '../with-lock.ts';

export async function recoverOnly(ports: Ports, command: string): Promise<void> {
  await withLock(ports, command, async () => {
    await recover(ports);
    await ports.judge.sweep();
  });
}
