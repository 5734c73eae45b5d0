import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processTable } from '../../../src/adapters/processes/process-table.ts';
import { sweepCookie, sweepSession, sweeper } from '../../../src/adapters/processes/sweep.ts';
import { fixtures } from '../../support/adapter-bundle.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

/** No system gives a process this number. */
const impossiblePid = 4_194_305;

function newCookie(): string {
  const cookie = randomBytes(16).toString('hex');
  onTestFinished(async () => {
    expect(await listed(cookie)).toEqual([]);
  });
  return cookie;
}

function listed(cookie: string): Promise<readonly number[]> {
  return processTable().listSession({ cookie, groupId: null });
}

describe('sweepCookie', () => {
  test('nothing to end', async () => {
    expect(await sweepCookie(newCookie(), { graceMs: 60_000 })).toEqual([]);
  });

  test.each(['leaves-grandchild.mjs', 'setsid-child.mjs', 'double-fork.mjs'])(
    'what %s leaves',
    async (fixture) => {
      const cookie = newCookie();
      const output = path.join(scratchFolder(), 'stdout');
      const file = openSync(output, 'w');
      // A file, not a pipe: what is left behind holds it open and would keep us waiting.
      spawnSync(path.join(fixtures, fixture), {
        env: { ...process.env, RUNNER_COOKIE: cookie },
        stdio: ['ignore', file, 'ignore'],
      });
      closeSync(file);
      const pid = Number(readFileSync(output, 'utf8'));
      const name = `${pid} (sleep 300)`;
      // Its number is printed before it has become what it will be.
      await waitUntil(name, async () => (await processTable().describeProcess(pid)) === name);
      expect(await listed(cookie)).toEqual([pid]);
      expect(await sweeper().end(cookie)).toEqual([name]);
    },
  );

  test('one that ignores TERM is killed after the grace', async () => {
    const cookie = newCookie();
    const child = spawn(path.join(fixtures, 'ignores-term.mjs'), {
      env: { ...process.env, RUNNER_COOKIE: cookie },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exit = new Promise((resolve) => {
      child.once('exit', (_code, signal) => {
        resolve(signal);
      });
    });
    const output: string[] = [];
    child.stdout.on('data', (data: Buffer) => output.push(data.toString()));
    await waitUntil('it listens', () => output.join('').includes('ready'));
    const ended = await sweepCookie(cookie, { graceMs: 2000 });
    expect(ended).toEqual([expect.stringContaining('ignores-term.mjs')]);
    expect(await exit).toBe('SIGKILL');
    expect(output.join('')).toBe('ready\nignored SIGTERM\n');
  });

  test('a stopped process ends too', async () => {
    const cookie = newCookie();
    const child = spawn('sleep', ['300'], {
      env: { ...process.env, RUNNER_COOKIE: cookie },
      stdio: 'ignore',
    });
    await waitUntil('it is there', async () => (await listed(cookie)).length === 1);
    child.kill('SIGSTOP');
    expect(await sweepCookie(cookie, { graceMs: 200 })).toHaveLength(1);
  });

  test('hundreds at once', async () => {
    const cookie = newCookie();
    spawn('sh', ['-c', 'for i in $(seq 300); do sleep 300 & done; wait'], {
      env: { ...process.env, RUNNER_COOKIE: cookie },
      stdio: 'ignore',
      detached: true,
    });
    await waitUntil('all are there', async () => (await listed(cookie)).length === 301);
    expect((await sweepCookie(cookie, { graceMs: 5000 })).length).toBe(301);
  });
});

test('what goes by itself in time is neither signalled nor reported', async () => {
  const cookie = newCookie();
  const env = { ...process.env, RUNNER_COOKIE: cookie };
  const child = spawn('sleep', ['1'], { env, stdio: 'ignore', detached: true });
  const exit = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
  await waitUntil('it is there', async () => (await listed(cookie)).length === 1);
  const groupId = child.pid ?? null;
  expect(await sweepSession({ cookie, groupId, graceMs: 5000, settleMs: 60_000 })).toEqual([]);
  expect(await exit).toEqual({ code: 0, signal: null });
});

test('one that cannot be ended is named with the command that ends it', async () => {
  const table = {
    ...processTable(),
    listSession: () => Promise.resolve([impossiblePid]),
    describeProcess: () => Promise.resolve(`${impossiblePid} (stuck)`),
  };
  const sweep = sweepSession({ cookie: 'x', groupId: null, graceMs: 0, table });
  await expect(sweep).rejects.toMatchObject({
    code: 'PROCESS_ALIVE',
    message: `a process of the session cannot be ended: ${impossiblePid} (stuck)`,
    hint: `kill -9 ${impossiblePid}`,
  });
});
