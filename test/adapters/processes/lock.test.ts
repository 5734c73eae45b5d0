import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { workTreeLock } from '../../../src/adapters/processes/lock.ts';
import { processOrigin, processTable } from '../../../src/adapters/processes/process-table.ts';
import type { Lock } from '../../../src/ports/sessions.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';
import { scratchFolder, waitUntil } from '../../support/scratch.ts';

const bundle = await bundleAdapters(['processes/lock', 'files/clock']);
let root = '';
let notes: string[] = [];
const at = (name: string): string => path.join(root, name);
const lockFile = (): string => at('runner/lock');

beforeEach(() => {
  root = scratchFolder();
  notes = [];
});

function lock(): Lock {
  return workTreeLock({
    file: lockFile(),
    root,
    quarantineDir: at('runner/quarantine'),
    clock: systemClock(),
    onNote: (note) => notes.push(note),
  });
}

interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly origin: string;
  readonly command: string;
  readonly started_at: string;
  readonly token: string;
}

function plant(owner: Partial<Owner>): void {
  mkdirSync(at('runner'), { recursive: true });
  const whole: Owner = {
    pid: 4_194_305,
    start: 'long ago',
    origin: processOrigin(),
    command: 'runner loop',
    started_at: '2026-01-01T00:00:00.000Z',
    token: 'planted',
    ...owner,
  };
  writeFileSync(lockFile(), JSON.stringify(whole));
}

/** A process that takes the lock, tells how it went, and holds what it got until its stdin closes. */
const taker = (go?: string): string => `
  import { existsSync } from 'node:fs';
  const lock = adapters.workTreeLock({
    file: ${JSON.stringify(lockFile())}, root: ${JSON.stringify(root)},
    quarantineDir: ${JSON.stringify(at('runner/quarantine'))},
    clock: adapters.systemClock(), onNote: () => undefined,
  });
  ${
    go === undefined
      ? ''
      : `process.stdout.write('here '); const cell = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(${JSON.stringify(go)})) Atomics.wait(cell, 0, 0, 1);`
  }
  try {
    const release = await lock.acquire('runner step');
    process.stdout.write('won');
    process.stdin.resume().once('end', release);
  } catch (error) {
    process.stdout.write(error.code);
  }
`;

interface Taker {
  readonly pid: number;
  readonly said: () => string;
  readonly close: () => void;
  readonly kill: () => void;
}

function startTaker(go?: string): Taker {
  const [program, ...args] = bundle.command({ code: taker(go) });
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const output: string[] = [];
  child.stdout.on('data', (data: Buffer) => output.push(data.toString()));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    pid: child.pid ?? 0,
    said: () => output.join(''),
    close: () => {
      child.stdin.end();
    },
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

describe('kept', () => {
  const note = 'the lock of this runner was gone and was put back';

  test('as long as it stands nothing happens; one that was removed or written over comes back, with a note', async () => {
    const ours = lock();
    expect(await ours.keep()).toEqual([]);
    expect(existsSync(lockFile())).toBe(false);
    const release = await ours.acquire('runner loop');
    const text = readFileSync(lockFile(), 'utf8');
    expect(await ours.keep()).toEqual([]);
    rmSync(at('runner'), { recursive: true });
    expect(await ours.keep()).toEqual([note]);
    writeFileSync(lockFile(), 'nobody wrote this');
    expect(await ours.keep()).toEqual([note]);
    expect(readFileSync(lockFile(), 'utf8')).toBe(text);
    await release();
    expect(existsSync(lockFile())).toBe(false);
    expect(await ours.keep()).toEqual([]);
    expect(existsSync(lockFile())).toBe(false);
  });

  test('another runner that took it meanwhile has it, and is named', async () => {
    const ours = lock();
    const release = await ours.acquire('runner loop');
    rmSync(lockFile());
    const other = startTaker();
    await waitUntil('the other one has it', () => other.said() === 'won');
    await expect(ours.keep()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`pid ${other.pid},`) as unknown,
    });
    await release();
    expect(existsSync(lockFile())).toBe(true);
  });
});

describe('one owner', () => {
  test('the file names the owner, release removes it and nothing is left', async () => {
    const release = await lock().acquire('runner step');
    expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toMatchObject({
      pid: process.pid,
      start: await processTable().processStart(process.pid),
      command: 'runner step',
      started_at: expect.stringMatching(/^\d{4}-/) as string,
    });
    expect(readdirSync(at('runner'))).toEqual(['lock']);
    await release();
    expect(readdirSync(at('runner'))).toEqual([]);
    await release();
    const again = await lock().acquire('runner step');
    await again();
    expect(notes).toEqual([]);
  });

  test('a second one is told pid, start time and command, in the same process and in another', async () => {
    const holder = startTaker();
    await waitUntil('it has the lock', () => holder.said() === 'won');
    const { started_at } = JSON.parse(readFileSync(lockFile(), 'utf8')) as Owner;
    await expect(lock().acquire('runner loop')).rejects.toMatchObject({
      code: 'LOCKED',
      message: `another runner works here: pid ${holder.pid}, started ${started_at}, command: runner step`,
      hint: `wait until it is done, or stop it: kill ${holder.pid}`,
    });
    holder.close();
    await waitUntil('it is released', () => !existsSync(lockFile()));
    const release = await lock().acquire('runner loop');
    await expect(lock().acquire('runner loop')).rejects.toMatchObject({ code: 'LOCKED' });
    await release();
  });

  test('release leaves a lock that is not its own', async () => {
    const release = await lock().acquire('runner step');
    plant({ token: 'somebody else' });
    await release();
    expect(existsSync(lockFile())).toBe(true);
  });
});

describe('takeover', () => {
  test('the lock of a killed process', async () => {
    const holder = startTaker();
    await waitUntil('it has the lock', () => holder.said() === 'won');
    holder.kill();
    await waitUntil('it is gone', async () => (await processTable().processStart(holder.pid)) === null);
    const release = await lock().acquire('runner loop');
    expect(notes).toEqual([`took over the lock of a runner that is gone (pid ${holder.pid}, runner step)`]);
    expect(readdirSync(at('runner'))).toEqual(['lock']);
    await release();
  });

  test('a living process that only has the same pid', async () => {
    plant({ pid: process.pid, start: 'another boot 123' });
    const release = await lock().acquire('runner loop');
    await release();
  });

  test('never from another host or container, and the printed command helps', async () => {
    plant({ origin: 'elsewhere' });
    const error = await lock()
      .acquire('runner loop')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'LOCKED', hint: `if it is gone: rm ${lockFile()}` });
    expect(String(error)).toContain('another host or container (elsewhere)');
  });

  test.each([
    ['an empty file', ''],
    ['no JSON', '{"pid": 1'],
    ['other JSON', '{"pid": "1"}'],
    ['null', 'null'],
  ])('what no runner wrote is moved aside: %s', async (_, text) => {
    mkdirSync(at('runner'));
    writeFileSync(lockFile(), text);
    const release = await lock().acquire('runner loop');
    expect(readFileSync(at('runner/quarantine/lock'), 'utf8')).toBe(text);
    expect(notes).toEqual([expect.stringContaining(at('runner/quarantine/lock'))]);
    await release();
  });

  test('a link and a folder are moved aside too, never followed', async () => {
    mkdirSync(at('runner'));
    writeFileSync(at('victim'), 'precious');
    symlinkSync(at('victim'), lockFile());
    await (
      await lock().acquire('runner loop')
    )();
    mkdirSync(lockFile());
    await (
      await lock().acquire('runner loop')
    )();
    expect(readdirSync(at('runner/quarantine')).toSorted()).toEqual(['lock', 'lock-2']);
    expect(readFileSync(at('victim'), 'utf8')).toBe('precious');
  });

  test('a claimant that died half-way does not block', async () => {
    plant({});
    const code = taker();
    const points = at('points');
    const whole = bundle.run({ code, env: { RUNNER_FAILPOINT_LOG: points } });
    expect(whole.stdout).toBe('won');
    const names = readFileSync(points, 'utf8').trim().split('\n');
    expect(names).toEqual([
      ...['link:before:lock', 'rename:before:lock', 'rename:after:lock', 'link:after:lock'],
      ...['remove:before:lock', 'remove:after:lock'],
    ]);
    for (const [index] of names.entries()) {
      plant({ token: `stale ${index}` });
      // Twice, so that a dead claim is claimed by one that dies too.
      for (let turn = 0; turn < 2; turn += 1) {
        expect(bundle.run({ code, env: { RUNNER_FAILPOINT: String(index + 1) } }).signal).toMatch(
          /^SIGKILL$/,
        );
        if (index >= 3) break;

        if (index === 2) plant({ token: `stale ${index}` });
      }
      await (
        await lock().acquire('runner loop')
      )();
      expect(readdirSync(at('runner')).filter((name) => !name.startsWith('.runner-stage-'))).toEqual([]);
    }
  });
});

test.each([
  ['no lock', 1],
  ['a stale lock', 4],
  ['garbage', 1],
])('of many that start at once on %s exactly one wins', async (kind, rounds) => {
  for (let round = 0; round < rounds; round += 1) {
    mkdirSync(at('runner'), { recursive: true });
    if (kind === 'a stale lock') plant({ token: String(round) });
    else if (kind === 'garbage') writeFileSync(lockFile(), `garbage ${round}`);

    const go = at(`go-${round}`);
    const takers = Array.from({ length: 10 }, () => startTaker(go));
    await waitUntil('all are ready', () => takers.every((one) => one.said() === 'here '), 60_000);
    writeFileSync(go, '');
    await waitUntil('all have an answer', () => takers.every((one) => one.said() !== 'here '), 60_000);
    const answers = takers.map((one) => one.said()).toSorted();
    expect(answers).toEqual([...Array<string>(9).fill('here LOCKED'), 'here won']);
    for (const one of takers) one.close();

    await waitUntil('it is released', () => !existsSync(lockFile()));
  }
});

describe('who holds it', () => {
  test('nobody, somebody alive, nobody again; a look makes nothing', async () => {
    expect(await lock().holder()).toBeNull();
    expect(existsSync(at('runner'))).toBe(false);
    const release = await lock().acquire('runner step');
    expect(await lock().holder()).toMatchObject({ pid: process.pid, command: 'runner step', is_here: true });
    await release();
    expect(await lock().holder()).toBeNull();
  });

  test('the lock of a dead process and one that nobody wrote are left where they are', async () => {
    plant({});
    expect(await lock().holder()).toBeNull();
    expect(existsSync(lockFile())).toBe(true);
    writeFileSync(lockFile(), 'garbage');
    expect(await lock().holder()).toBeNull();
    expect(readFileSync(lockFile(), 'utf8')).toBe('garbage');
    expect(notes).toEqual([]);
  });

  test('one of another host counts as alive, and is said to be elsewhere', async () => {
    plant({ origin: 'another-host' });
    expect(await lock().holder()).toEqual({
      pid: 4_194_305,
      command: 'runner loop',
      started_at: '2026-01-01T00:00:00.000Z',
      is_here: false,
    });
  });
});
