/**
 * Waits for the end of PID namespaces that bubblewrap made (§14). It kills the first process of one when it ends itself, and does not
 * wait for it; that process goes last, so that with it everything inside is gone. Signals nobody.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTable } from '../process-table.ts';
import { killWaitMs, processAlive } from '../sweep.ts';

const pollMs = 10;

/** `told`: what `--info-fd` said. Throws PROCESS_ALIVE. */
export async function waitForNamespaces(told: string): Promise<void> {
  const pids = [...told.matchAll(/"child-pid": *(\d+)/gu)].map(([, pid]) => Number(pid));
  const endMs = performance.now() + killWaitMs;
  for (;;) {
    const alive = pids.filter(isFirst);
    if (alive.length === 0) return;
    if (performance.now() > endMs)
      throw processAlive(alive, await Promise.all(alive.map((pid) => processTable().describeProcess(pid))));
    await sleep(pollMs);
  }
}

/** Whether it is the first process of a namespace below ours, and more than a zombie: its number may be another process's by now. */
function isFirst(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return /^NSpid:\t\d.*\t1$/mu.test(status) && !/^State:\t[ZX]/mu.test(status);
  } catch {
    return false;
  }
}
