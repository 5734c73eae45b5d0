/** Runs work under the lock of the work tree (§1.7). All of the work has ended when the lock is released. */
import type { Ports } from '../ports/ports.ts';

export async function withLock<T>(ports: Ports, command: string, work: () => Promise<T>): Promise<T> {
  const release = await ports.lock.acquire(command);
  try {
    const result = await work();
    await forget(ports);
    return result;
  } catch (error) {
    // The first error says what happened.
    await forget(ports).catch(() => undefined);
    throw error;
  } finally {
    await release();
  }
}

/** Whatever happened, what steers git is as it was before the last session; a person's changes stay from now on (§14). */
async function forget(ports: Ports): Promise<void> {
  for (const message of await ports.git.forget()) ports.reporter.report({ type: 'note', message });
}
