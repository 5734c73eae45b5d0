/**
 * Ends whatever is left of a session: TERM, a grace, KILL. It touches only processes that carry the session's cookie or
 * are in its process group, and never returns while one of them lives.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';
import type { Sweeper } from '../../ports/sessions.ts';
import { errorCode } from '../files/disk-error.ts';
import { processTable } from './process-table.ts';
import type { ProcessTable, SessionMarks } from './process-table.ts';

export const sessionGraceMs = 5000;
/** How long a killed process may take to vanish; one that waits for a device cannot. */
export const killWaitMs = 5000;
const pollMsMax = 200;

export interface SweepRequest extends SessionMarks {
  readonly graceMs: number;
  /** Processes that go by themselves within this time are neither signalled nor reported. */
  readonly settleMs?: number;
  readonly table?: ProcessTable;
}

/** `sandbox`: what may hold more of a session than can be seen from here. */
export function sweeper(sandbox?: { readonly end: (cookie: string) => Promise<void> }): Sweeper {
  return {
    end: async (cookie) => {
      await sandbox?.end(cookie);
      return sweepCookie(cookie, { graceMs: sessionGraceMs });
    },
  };
}

/** Everything that sessions in this work tree left behind. The caller holds its lock, or nobody works there. Throws PROCESS_ALIVE. */
export async function sweepWorkTree(top: string): Promise<readonly string[]> {
  const table = processTable();
  const listSession = (): Promise<readonly number[]> => table.listMarked(`RUNNER_WORK_TREE=${top}`);
  const request = { cookie: '', groupId: null, graceMs: sessionGraceMs };
  return sweepSession({ ...request, table: { ...table, listSession } });
}

/** Descriptions of what had to be ended, sorted. Throws PROCESS_ALIVE. */
export function sweepCookie(
  cookie: string,
  options: { readonly graceMs: number },
): Promise<readonly string[]> {
  return sweepSession({ cookie, groupId: null, graceMs: options.graceMs });
}

export async function sweepSession(request: SweepRequest): Promise<readonly string[]> {
  const table = request.table ?? processTable();
  const startMs = performance.now() + (request.settleMs ?? 0);
  const seen = new Map<number, string>();
  let { groupId } = request;
  for (let pollMs = 10; ; pollMs = Math.min(pollMs * 2, pollMsMax)) {
    // Once the group is empty its number may be given to a stranger.
    groupId = groupId !== null && isGroup(groupId) ? groupId : null;
    const alive = await table.listSession({ cookie: request.cookie, groupId });
    if (alive.length === 0) return [...seen.values()].toSorted();

    const waitedMs = performance.now() - startMs;
    if (waitedMs > request.graceMs + killWaitMs)
      throw processAlive(alive, await Promise.all(alive.map((pid) => table.describeProcess(pid))));

    for (const pid of waitedMs < 0 ? [] : alive) {
      const isNew = !seen.has(pid);
      if (isNew) seen.set(pid, await table.describeProcess(pid));

      if (waitedMs >= request.graceMs) signalProcess(pid, 'SIGKILL');
      else if (isNew) signalProcess(pid, 'SIGTERM');
    }
    await sleep(pollMs);
  }
}

/** A negative number means a process group, as for kill(2). One that is gone or not ours shows in the next listing. */
export function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: another user's; the caller finds it alive and names it.
  }
}

function isGroup(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

export function processAlive(pids: readonly number[], descriptions: readonly string[]): RunnerError {
  return new RunnerError({
    code: 'PROCESS_ALIVE',
    message: `${pids.length === 1 ? 'a process' : `${pids.length} processes`} of the session cannot be ended: ${descriptions.join(', ')}`,
    hint: `kill -9 ${pids.join(' ')}`,
    details: descriptions,
  });
}
