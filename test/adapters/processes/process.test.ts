import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { processTable } from '../../../src/adapters/processes/process-table.ts';
import { runProcess } from '../../../src/adapters/processes/process.ts';
import type { ProcessResult, ProcessSpec } from '../../../src/adapters/processes/process.ts';
import type { SignalName } from '../../../src/core/types.ts';
import type { Interrupts } from '../../../src/ports/sessions.ts';
import { bundleAdapters, fixtures } from '../../support/adapter-bundle.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

const bundle = await bundleAdapters(['processes/process', 'files/clock']);
const clock = systemClock();
const quiet: Interrupts = { current: () => null, subscribe: () => () => undefined };
let folder = '';
const at = (name: string): string => path.join(folder, name);
const fixture = (name: string): string => path.join(fixtures, name);
const stdout = (): string => readFileSync(at('stdout'), 'utf8');

beforeEach(() => {
  folder = scratchFolder();
});

function run(argv: readonly string[], more: Partial<ProcessSpec> = {}): Promise<ProcessResult> {
  const cookie = randomBytes(16).toString('hex');
  onTestFinished(async () => {
    expect(await processTable().listSession({ cookie, groupId: null })).toEqual([]);
  });
  return runProcess({
    argv,
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    stdinFile: null,
    stdoutFile: at('stdout'),
    stderrFile: at('stderr'),
    deadlineMs: clock.monotonicMs() + 100_000,
    idleTimeoutMs: null,
    diskBytesMax: 1024 ** 3,
    cookie,
    clock,
    interrupts: quiet,
    ...more,
  });
}

/** An interrupt that comes once `isTime` says so. */
function interruptWhen(signal: SignalName, isTime: () => boolean): Interrupts {
  return {
    current: () => null,
    subscribe: (listener) => {
      void waitUntil('the time to interrupt', isTime).then(() => {
        listener(signal);
        return null;
      });
      return () => undefined;
    },
  };
}

describe('a normal end', () => {
  test('exit code, both streams, no leftovers', async () => {
    const result = await run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(result).toEqual({
      end: 'exited',
      exitCode: 3,
      signal: null,
      interruptSignal: null,
      startError: null,
      durationMs: expect.any(Number) as number,
      leftovers: [],
    });
    expect(stdout()).toBe('out\n');
    expect(readFileSync(at('stderr'), 'utf8')).toBe('err\n');
  });

  test('a signal is told as such', async () => {
    expect(await run(['sh', '-c', 'kill -9 $$'])).toMatchObject({
      end: 'exited',
      exitCode: null,
      signal: 'SIGKILL',
    });
  });

  test('both streams in one file keep their order, after what is there', async () => {
    writeFileSync(at('stdout'), 'before\n');
    await run(['sh', '-c', 'echo 1; echo 2 >&2; echo 3'], { stderrFile: at('stdout') });
    expect(stdout()).toBe('before\n1\n2\n3\n');
    expect(existsSync(at('stderr'))).toBe(false);
  });

  test('the environment is the given one and the cookie, the folder is the given one', async () => {
    await run(['env'], { env: { PATH: process.env['PATH'] ?? '', A: 'b' }, cookie: 'abc' });
    expect(stdout().trim().split('\n').toSorted()).toEqual([
      'A=b',
      `PATH=${process.env['PATH']}`,
      'RUNNER_COOKIE=abc',
    ]);
    await run(['pwd']);
    expect(stdout()).toContain(folder);
  });

  test('stdin is empty without a file, and a file of any length arrives whole', async () => {
    await run([fixture('digests-stdin.mjs')]);
    expect(stdout()).toMatch(/^0 /);
    const prompt = randomBytes(3_000_000);
    writeFileSync(at('prompt'), prompt);
    await run([fixture('digests-stdin.mjs')], { stdinFile: at('prompt'), stdoutFile: at('digest') });
    const sha256 = createHash('sha256').update(prompt).digest('hex');
    expect(readFileSync(at('digest'), 'utf8')).toBe(`3000000 ${sha256}\n`);
  });

  test('a program in a session of its own has no terminal', async () => {
    await run(['sh', '-c', 'ps -o pid=,pgid=,sid=,tty= -p $$']);
    const [pid, groupId, sessionId, tty] = stdout().trim().split(/\s+/);
    expect(groupId).toBe(pid);
    expect(sessionId).toBe(pid);
    expect(tty).toBe('?');
  });
});

describe('what cannot be started', () => {
  test('a missing program, one without permission, one with a bad first line, a missing folder', async () => {
    writeFileSync(at('plain'), '#!/bin/sh\n');
    writeFileSync(at('bad'), '#!/no/such/interpreter\n');
    chmodSync(at('bad'), 0o755);
    const missing = await run(['no-such-program']);
    expect(missing).toMatchObject({
      end: 'not_started',
      exitCode: null,
      startError: 'spawn no-such-program ENOENT',
    });
    expect(await run([at('plain')])).toMatchObject({
      end: 'not_started',
      startError: expect.stringContaining('EACCES') as string,
    });
    expect(await run([at('bad')])).toMatchObject({ end: 'not_started' });
    expect(await run(['true'], { cwd: at('none') })).toMatchObject({ end: 'not_started' });
  });

  test('too long an argument, an impossible one', async () => {
    expect(await run(['true', 'x'.repeat(10_000_000)])).toMatchObject({
      end: 'not_started',
      startError: expect.stringContaining('E2BIG') as string,
    });
    expect(await run(['true', 'a\0b'])).toMatchObject({ end: 'not_started' });
  });

  test('after the deadline, or once interrupted, nothing is started', async () => {
    const argv = ['touch', at('started')];
    expect(await run(argv, { deadlineMs: clock.monotonicMs() })).toMatchObject({
      end: 'deadline',
      exitCode: null,
    });
    const interrupts: Interrupts = { ...quiet, current: () => 'SIGHUP' };
    expect(await run(argv, { interrupts })).toMatchObject({ end: 'interrupted', interruptSignal: 'SIGHUP' });
    expect(existsSync(at('started'))).toBe(false);
  });

  test('a signal between the call and the start', async () => {
    let signal: SignalName | null = null;
    const interrupts: Interrupts = { ...quiet, current: () => signal };
    const ended = run(['touch', at('started')], { interrupts });
    signal = 'SIGINT';
    expect(await ended).toMatchObject({ end: 'interrupted', interruptSignal: 'SIGINT' });
    expect(existsSync(at('started'))).toBe(false);
  });

  test('files of ours that cannot be opened are an error of ours', async () => {
    await expect(run(['true'], { stdinFile: at('none') })).rejects.toMatchObject({ code: 'DISK' });
    writeFileSync(at('victim'), 'precious');
    symlinkSync(at('victim'), at('link'));
    await expect(run(['echo', 'x'], { stdoutFile: at('link') })).rejects.toMatchObject({ code: 'DISK' });
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
    spawnSync('mkfifo', [at('pipe')]);
    await expect(run(['echo', 'x'], { stderrFile: at('pipe') })).rejects.toMatchObject({ code: 'DISK' });
  });
});

describe('ended by us', () => {
  test('deadline', async () => {
    const deadlineMs = clock.monotonicMs() + 300;
    const result = await run(['sleep', '300'], { deadlineMs });
    expect(result).toMatchObject({ end: 'deadline', exitCode: null, signal: 'SIGTERM', leftovers: [] });
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(deadlineMs);
  });

  test('a deadline further away than a timer can count', async () => {
    const result = await run(['sleep', '0.3'], {
      deadlineMs: 2 ** 40,
      softTimeoutMs: 2 ** 33,
      idleTimeoutMs: 2 ** 34,
    });
    expect(result).toMatchObject({ end: 'exited', exitCode: 0 });
  });

  test('its own timeout is told apart', async () => {
    expect(await run(['sleep', '300'], { softTimeoutMs: 300 })).toMatchObject({ end: 'timeout' });
  });

  describe('silence', () => {
    const idleTimeoutMs = 1000;
    let nowMs = 0;
    let looks = 0;
    let busy = false;

    /** The session's clock stands still unless the test moves it, so that a slow machine changes nothing. */
    function runByHand(): { readonly ended: Promise<ProcessResult>; readonly hasEnded: () => boolean } {
      [nowMs, looks, busy] = [0, 0, false];
      let isOver = false;
      const isBusy = (): boolean => {
        looks += 1;
        return busy;
      };
      const byHand = {
        nowIso: () => '',
        monotonicMs: () => nowMs,
        localNow: () => ({ epochMs: 0, offsetMinutes: 0 }),
      };
      const ended = run(['sleep', '300'], { clock: byHand, deadlineMs: 1e9, idleTimeoutMs, isBusy }).finally(
        () => {
          isOver = true;
        },
      );
      return { ended, hasEnded: () => isOver };
    }

    async function pass(ms: number): Promise<void> {
      nowMs += ms;
      const until = looks + 3;
      await waitUntil('the session was looked at', () => looks >= until);
    }

    test('ends it', async () => {
      const { ended, hasEnded } = runByHand();
      await pass(0);
      await pass(idleTimeoutMs - 1);
      expect(hasEnded()).toBe(false);
      nowMs += 1;
      expect(await ended).toMatchObject({ end: 'idle', signal: 'SIGTERM' });
    });

    test('is not counted while it is busy', async () => {
      const { ended, hasEnded } = runByHand();
      busy = true;
      await pass(0);
      await pass(10 * idleTimeoutMs);
      busy = false;
      await pass(idleTimeoutMs - 1);
      expect(hasEnded()).toBe(false);
      nowMs += 1;
      expect(await ended).toMatchObject({ end: 'idle' });
    });

    test('is broken by output in either stream', async () => {
      const { ended, hasEnded } = runByHand();
      await pass(0);
      for (const name of ['stdout', 'stderr', 'stdout', 'stderr']) {
        writeFileSync(at(name), 'x', { flag: 'a' });
        await pass(idleTimeoutMs - 1);
      }
      expect(hasEnded()).toBe(false);
      nowMs += idleTimeoutMs;
      expect(await ended).toMatchObject({ end: 'idle' });
    });
  });

  test('too much output, in either stream', async () => {
    const diskBytesMax = 1_000_000;
    expect(await run([fixture('floods-stdout.mjs'), '100000'], { diskBytesMax })).toMatchObject({
      end: 'disk_cap',
    });
    const toStderr = ['sh', '-c', `${fixture('floods-stdout.mjs')} 100000 >&2`];
    expect(await run(toStderr, { diskBytesMax, stdoutFile: at('other') })).toMatchObject({ end: 'disk_cap' });
    expect(statSync(at('stderr')).size).toBeGreaterThan(diskBytesMax);
  });

  test('one that has answered but does not exit counts as exit 0', async () => {
    const hasAnswered = (): boolean => existsSync(at('answer'));
    const argv = [fixture('waits-forever.mjs'), 'x', at('answer')];
    const result = await run(argv, { hasAnswered, answerGraceMs: 300 });
    expect(result).toMatchObject({ end: 'answered', exitCode: 0, signal: null });
  });

  test('one that answers and exits within the grace has its own exit code', async () => {
    const argv = ['sh', '-c', `echo > ${at('answer')}; sleep 0.5; exit 4`];
    const result = await run(argv, { hasAnswered: () => existsSync(at('answer')), answerGraceMs: 60_000 });
    expect(result).toMatchObject({ end: 'exited', exitCode: 4 });
  });

  test('one that goes round in circles is ended', async () => {
    const isHopeless = (): boolean => existsSync(at('circles'));
    const result = await run([fixture('waits-forever.mjs'), 'x', at('circles')], { isHopeless });
    expect(result).toMatchObject({ end: 'hopeless', exitCode: null, signal: 'SIGTERM' });
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', async (signal) => {
    const interrupts = interruptWhen(signal, () => existsSync(at('started')));
    const result = await run([fixture('waits-forever.mjs'), 'x', at('started')], { interrupts });
    expect(result).toMatchObject({ end: 'interrupted', interruptSignal: signal, signal: 'SIGTERM' });
  });

  test('one that ignores TERM is killed after the grace', async () => {
    const interrupts = interruptWhen('SIGINT', () => existsSync(at('stdout')) && stdout().includes('ready'));
    const result = await run([fixture('ignores-term.mjs')], { interrupts, graceMs: 2000 });
    expect(result).toMatchObject({ end: 'interrupted', signal: 'SIGKILL' });
    expect(stdout()).toBe('ready\nignored SIGTERM\n');
  });

  test('a failing callback still ends the session', async () => {
    const onChunk = (): void => {
      throw new Error('ours');
    };
    await expect(run([fixture('waits-forever.mjs')], { onChunk })).rejects.toThrow('ours');
  });
});

describe('what it leaves behind is ended and reported', () => {
  test.each(['leaves-grandchild.mjs', 'setsid-child.mjs', 'double-fork.mjs'])('%s', async (name) => {
    const result = await run([fixture(name)]);
    const pid = stdout().trim();
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, leftovers: [`${pid} (sleep 300)`] });
  });

  test('a child in the group that has dropped the cookie', async () => {
    const result = await run(['sh', '-c', 'env -i sleep 300 & echo $!']);
    expect(result.leftovers).toHaveLength(1);
    expect(await processTable().processStart(Number(stdout()))).toBeNull();
  });

  test('a child that ignores TERM', async () => {
    const script = `${fixture('ignores-term.mjs')} & until grep -q ready stdout; do sleep 0.05; done`;
    const result = await run(['sh', '-c', script], { graceMs: 500 });
    expect(result).toMatchObject({ end: 'exited', leftovers: [expect.stringContaining('ignores-term')] });
  });

  test('children of one that had to be ended', async () => {
    const script = `${fixture('setsid-child.mjs')}; echo done; sleep 300`;
    const result = await run(['sh', '-c', script], {
      interrupts: interruptWhen('SIGTERM', () => existsSync(at('stdout')) && stdout().includes('done')),
    });
    const [pid = ''] = stdout().split('\n');
    expect(result).toMatchObject({ end: 'interrupted', leftovers: [`${pid} (sleep 300)`] });
  });
});

describe('following', () => {
  test('live, whole characters, from where the session starts', async () => {
    writeFileSync(at('stdout'), 'before');
    const chunks: string[] = [];
    const onChunk = (text: string): void => {
      chunks.push(text);
    };
    await run([fixture('splits-characters.mjs'), 'é€😀'.repeat(4), '20'], { onChunk });
    expect(chunks.join('')).toBe('é€😀'.repeat(4));
    expect(chunks.length).toBeGreaterThan(2);
  });

  test('the last words of a process that is ended are not lost', async () => {
    const chunks: string[] = [];
    const onChunk = (text: string): void => {
      chunks.push(text);
    };
    const interrupts = interruptWhen('SIGINT', () => chunks.join('').includes('ready'));
    await run([fixture('ignores-term.mjs')], { onChunk, interrupts, graceMs: 2000 });
    expect(chunks.join('')).toBe('ready\nignored SIGTERM\n');
  });
});

test.each([
  [300, false],
  [100, true],
])('a flood of %i MiB takes no memory (followAll: %s)', (mebibytes, followAll) => {
  const code = `
    const clock = adapters.systemClock();
    let seen = 0;
    const before = process.memoryUsage().rss;
    const result = await adapters.runProcess({
      argv: [${JSON.stringify(fixture('floods-stdout.mjs'))}, '${mebibytes}', 'é'],
      cwd: '/', env: { PATH: process.env.PATH }, stdinFile: null,
      stdoutFile: ${JSON.stringify(at('stdout'))}, stderrFile: ${JSON.stringify(at('stderr'))},
      deadlineMs: clock.monotonicMs() + 100000, idleTimeoutMs: null, diskBytesMax: 2 ** 31, cookie: 'flood-${randomBytes(8).toString('hex')}',
      clock, interrupts: { current: () => null, subscribe: () => () => undefined },
      onChunk: (text) => { seen += text.length; }, followAll: ${followAll},
    });
    const grown = peakBytes() - before;
    process.stdout.write(JSON.stringify({ end: result.end, exitCode: result.exitCode, grown, seen }));
  `;
  const result = JSON.parse(bundle.run({ code }).stdout) as { grown: number; seen: number };
  expect(result).toMatchObject({ end: 'exited', exitCode: 0 });
  expect(statSync(at('stdout')).size).toBe(mebibytes * 1024 * 1024);
  expect(result.grown).toBeLessThan(80 * 1024 * 1024);
  const characters = (mebibytes * 1024 * 1024) / 2;
  expect(followAll ? result.seen === characters : result.seen > 0 && result.seen < characters).toBe(true);
});

test.skipIf(process.platform !== 'linux')('sessions leave no descriptor open, however they end', async () => {
  // By name: the test runner opens and closes descriptors of its own meanwhile.
  const openHere = (): readonly string[] =>
    readdirSync('/proc/self/fd')
      .map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return '';
        }
      })
      .filter((target) => target.startsWith(folder));
  writeFileSync(at('prompt'), 'x');
  // Looked at each time at once: a forgotten handle is closed when its memory is collected.
  await run(['true'], { stdinFile: at('prompt') });
  expect(openHere()).toEqual([]);
  // Who reads it cannot open it again to write to it.
  expect(existsSync(at('prompt'))).toBe(false);
  writeFileSync(at('prompt'), 'x');
  await run(['no-such-program'], { stdinFile: at('prompt') });
  expect(openHere()).toEqual([]);
  await expect(run(['true'], { stdinFile: at('none') })).rejects.toMatchObject({ code: 'DISK' });
  expect(openHere()).toEqual([]);
});
