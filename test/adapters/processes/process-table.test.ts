import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processOrigin, processTable } from '../../../src/adapters/processes/process-table.ts';
import { waitUntil } from '../../support/scratch.ts';

/** On Linux both ways of asking must agree. */
const platforms = process.platform === 'linux' ? ['linux', 'freebsd'] : [process.platform];

function start(
  argv: readonly [string, ...string[]],
  env: Record<string, string> = {},
): ChildProcess & { pid: number } {
  const [program, ...args] = argv;
  const child = spawn(program, args, { env: { ...process.env, ...env }, detached: true, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child as ChildProcess & { pid: number };
}

describe.each(platforms)('%s', (platform) => {
  const table = processTable(platform);
  const cookie = (): string => randomBytes(16).toString('hex');

  test('finds exactly the processes with the cookie', async () => {
    const mine = cookie();
    const first = start(['sleep', '300'], { RUNNER_COOKIE: mine });
    const second = start(['sleep', '300'], { RUNNER_COOKIE: mine, OTHER: 'x' });
    start(['sleep', '300'], { RUNNER_COOKIE: `${mine}0` });
    start(['sleep', '300'], { NOT_RUNNER_COOKIE: mine });
    const list = (): Promise<readonly number[]> => table.listSession({ cookie: mine, groupId: null });
    await waitUntil('both are listed', async () => (await list()).length === 2);
    expect(await list()).toEqual([first.pid, second.pid].toSorted((a, b) => a - b));
    expect(await table.listSession({ cookie: cookie(), groupId: null })).toEqual([]);
  });

  test('finds one that was seen before with another cookie, or while it started its program', async () => {
    const mine = cookie();
    const first = start(['sleep', '300'], { RUNNER_COOKIE: mine });
    // The words of a command are no environment, so the cookie comes another way.
    const program = ['-c', 'read RUNNER_COOKIE; export RUNNER_COOKIE; exec sleep 300'];
    const bare = spawn('/bin/sh', program, { env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => {
      bare.kill('SIGKILL');
    });
    expect(await table.listSession({ cookie: cookie(), groupId: null })).toEqual([]);
    const list = (): Promise<readonly number[]> => table.listSession({ cookie: mine, groupId: null });
    expect(await list()).toEqual([first.pid]);
    bare.stdin?.end(`${mine}\n`);
    await waitUntil('both are listed', async () => (await list()).length === 2);
    expect(await list()).toEqual([first.pid, bare.pid ?? 0].toSorted((a, b) => a - b));
  });

  test.skipIf(platform !== 'linux')('finds one that starts program after program', async () => {
    const mine = cookie();
    const { pid } = start(['/bin/sh', '-c', 'exec "$SHELL_OF_IT" -c "$AGAIN"'], {
      RUNNER_COOKIE: mine,
      SHELL_OF_IT: '/bin/sh',
      AGAIN: 'exec "$SHELL_OF_IT" -c "$AGAIN"',
    });
    const missed: number[] = [];
    for (let look = 0; look < 500; look += 1) {
      const found = await table.listSession({ cookie: mine, groupId: null });
      if (!found.includes(pid)) missed.push(look);
    }
    expect(missed).toEqual([]);
  });

  test('finds a mark with blanks in it, and on Linux one beyond ASCII', async () => {
    const folder = `${platform === 'linux' ? '/tmp/ünï 道' : '/tmp/two words'} ${cookie()}`;
    const { pid } = start(['sleep', '300'], { RUNNER_WORK_TREE: folder });
    start(['sleep', '300'], { RUNNER_WORK_TREE: `${folder}x` });
    const list = (): Promise<readonly number[]> => table.listMarked(`RUNNER_WORK_TREE=${folder}`);
    await waitUntil('it is listed', async () => (await list()).length > 0);
    expect(await list()).toEqual([pid]);
  });

  test('finds members of the group that have no cookie', async () => {
    const leader = start(['sh', '-c', 'sleep 300 & sleep 300 & wait']);
    const list = (): Promise<readonly number[]> =>
      table.listSession({ cookie: cookie(), groupId: leader.pid });
    await waitUntil('all are listed', async () => (await list()).length === 3);
    process.kill(-leader.pid, 'SIGKILL');
    await waitUntil('all are gone', async () => (await list()).length === 0);
  });

  test.skipIf(process.platform !== 'linux')('a zombie is no process', async () => {
    const mine = cookie();
    // The shell becomes a program that never waits for the child it inherited.
    const parent = start(['sh', '-c', 'sleep 0 & exec sleep 300'], { RUNNER_COOKIE: mine });
    const children = `/proc/${parent.pid}/task/${parent.pid}/children`;
    const zombie = await waitUntil('there is a zombie', () => {
      const pid = readFileSync(children, 'utf8').trim();
      return pid !== '' && /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')) ? Number(pid) : null;
    });
    expect(await table.listSession({ cookie: mine, groupId: parent.pid })).toEqual([parent.pid]);
    expect(await table.processStart(zombie)).toBeNull();
    expect(await table.processStart(parent.pid)).not.toBeNull();
  });

  test('a start is stable for a process and null for none', async () => {
    const own = await table.processStart(process.pid);
    expect(own).toMatch(/\S/);
    expect(await table.processStart(process.pid)).toBe(own);
    expect(await table.processStart(4_194_305)).toBeNull();
    const child = start(['sleep', '300']);
    expect(await table.processStart(child.pid)).toEqual(expect.any(String));
    child.kill('SIGKILL');
    await waitUntil('it is gone', async () => (await table.processStart(child.pid)) === null);
  });

  test('a description is one line without control characters', async () => {
    const child = start(['sh', '-c', 'sleep 300; : "\u001B[2K\r\n\u202E"']);
    const text = await waitUntil('it has a name', async () => {
      const description = await table.describeProcess(child.pid);
      return description.includes('sleep') && description;
    });
    expect(text).toContain(`${child.pid} (sh -c sleep 300`);
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(await table.describeProcess(4_194_305)).toBe('4194305 (command unknown)');
    process.kill(-child.pid, 'SIGKILL');
  });
});

test('the origin is stable', () => {
  expect(processOrigin()).toMatch(/\S/);
  expect(processOrigin()).toBe(processOrigin());
});
