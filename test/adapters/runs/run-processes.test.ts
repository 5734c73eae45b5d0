import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { processOrigin, processTable } from '../../../src/adapters/processes/process-table.ts';
import { runProcesses } from '../../../src/adapters/runs/run-processes.ts';
import { isAlive } from '../../support/shell-agent.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

/** A shell in a session of its own that no polite signal ends, with a child that has left its group. */
async function stubborn(worktree: string): Promise<{ readonly pid: number; readonly other: number }> {
  const script = `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$; sleep 300 & wait' & sleep 300 & wait`;
  const child = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', RUNNER_WORK_TREE: worktree },
  });
  const pid = child.pid ?? 0;
  let other = 0;
  child.stdout.on('data', (text: Buffer) => {
    other = Number(text);
  });
  onTestFinished(async () => {
    await runProcesses(async () => null).endAll({ owner: null, worktree });
  });
  await waitUntil('the other process', () => other > 0);
  return { pid, other };
}

test('a run is ended with everything it started, and nothing else', async () => {
  const [worktree, neighbour] = [scratchFolder(), scratchFolder()];
  const [run, stranger] = await Promise.all([stubborn(worktree), stubborn(neighbour)]);
  const start = (await processTable().processStart(run.pid)) ?? '';
  const owner = { pid: run.pid, start, origin: processOrigin() };
  const processes = runProcesses(async () => null);
  expect(await processes.isAlive(owner)).toBe(true);
  expect(await processes.workerIn(worktree)).toBeNull();

  // The number alone names nobody.
  const reused = { ...owner, pid: stranger.pid, start: `${start}0` };
  await processes.requestStop(reused);
  expect(await processes.isAlive(reused)).toBe(false);
  expect(await processes.endAll({ owner: reused, worktree: null })).toEqual([]);
  expect(isAlive(stranger.pid)).toBe(true);

  const ended = await processes.endAll({ owner, worktree });
  expect(ended.length).toBeGreaterThanOrEqual(4);
  expect([run.pid, run.other].map(isAlive)).toEqual([false, false]);
  expect([stranger.pid, stranger.other].map(isAlive)).toEqual([true, true]);
  expect(await processes.endAll({ owner, worktree })).toEqual([]);

  // In somebody else's group, and stopped.
  const waiting = spawn('sleep', ['300'], { stdio: 'ignore' });
  const pid = waiting.pid ?? 0;
  onTestFinished(() => void waiting.kill('SIGKILL'));
  const found = (await processTable().processStart(pid)) ?? '';
  process.kill(pid, 'SIGSTOP');
  await processes.endAll({ owner: { pid, start: found, origin: processOrigin() }, worktree: null });
  expect(isAlive(pid)).toBe(false);
  expect(isAlive(stranger.pid)).toBe(true);
});
