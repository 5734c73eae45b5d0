/** The processes of a background run: asked to stop, ended, looked for. It never signals a process that is not the run's own. */
import type { LockHolder } from '../../ports/sessions.ts';
import type { RunProcesses } from '../../ports/runs.ts';
import { privateLayout } from '../files/layout.ts';
import { holderOf } from '../processes/lock.ts';
import { processTable } from '../processes/process-table.ts';
import { signalProcess, sweepSession } from '../processes/sweep.ts';
import { isAlive } from './records.ts';

/** `gitDirOf`: the git folder of a work tree; null: it is none. */
export function runProcesses(gitDirOf: (worktree: string) => Promise<string | null>): RunProcesses {
  return {
    isAlive,
    requestStop: async (owner) => {
      if (await isAlive(owner)) signalProcess(owner.pid, 'SIGTERM');
    },
    workerIn: async (worktree): Promise<LockHolder | null> => {
      const gitDir = await gitDirOf(worktree);
      return gitDir === null ? null : holderOf(privateLayout(gitDir).lock);
    },
    endAll: async ({ owner, worktree }) => {
      const table = processTable();
      return sweepSession({
        cookie: '',
        // A detached process leads its own group. Once it is gone the number may mean a stranger.
        groupId: owner !== null && (await isAlive(owner)) ? owner.pid : null,
        graceMs: 0,
        table: {
          ...table,
          // Sessions and setup commands have groups of their own, and the work tree in their environment.
          listSession: async ({ groupId }) => {
            const marked = worktree === null ? [] : await table.listMarked(`RUNNER_WORK_TREE=${worktree}`);
            const group = groupId === null ? [] : await table.listSession({ cookie: ' ', groupId });
            // One of `run start --wait` is in the group of the shell that started it.
            const own =
              owner !== null && owner.pid !== process.pid && (await isAlive(owner)) ? [owner.pid] : [];
            return [...new Set([...marked, ...group, ...own])];
          },
        },
      });
    },
  };
}
