/** Runs work under the lock of the work tree (§1.7). All of the work has ended when the lock is released. */
import type { Ports } from '../ports/ports.ts';

export async function withLock<T>(ports: Ports, command: string, work: () => Promise<T>): Promise<T> {
  const release = await ports.lock.acquire(command);
  try {
    return await work();
  } finally {
    await release();
  }
}
