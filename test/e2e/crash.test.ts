/**
 * Kills the runner with SIGKILL at its failpoints (every journal phase, before and after every write, rename, removal and git call) and
 * shows that one more `runner loop` ends with the same tree and no lost file. `npm test` takes a sample; `RUNNER_CRASH_ALL=1` takes all.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../src/core/types.ts';
import type { Project } from '../support/project.ts';
import {
  answer,
  child,
  cleanEnv,
  entryFile,
  project,
  tempFolder,
  unstartedProject,
  write,
} from '../support/project.ts';

const sampleSize = 2;
const all = process.env['RUNNER_CRASH_ALL'] !== undefined;
const lanes = 2;

const script = [
  {
    actions: [write('notes.md', 'plan\n')],
    answer: answer('decomposed', 'two parts', [child('first'), child('second')]),
  },
  {
    actions: [
      write('src/first.txt', 'first\n'),
      { append: { path: '.runner/state/assumptions.md', content: '- one\n' } },
    ],
    answer: answer('done', 'first is there'),
  },
  {
    actions: [write('src/second.txt', 'second\n'), { delete: 'notes.md' }],
    answer: answer('done', 'second is there'),
  },
];

interface Ended {
  readonly tree: string;
  readonly files: string;
}

async function loop(dir: string, extra: Readonly<Record<string, string>>) {
  return runner(dir, 'loop', extra);
}

async function runner(dir: string, command: string, extra: Readonly<Record<string, string>>) {
  const env = cleanEnv(join(dir, '..', 'home'), extra);
  return execa(process.execPath, [entryFile, command], {
    cwd: dir,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 100_000,
  });
}

async function git(dir: string, ...args: readonly string[]): Promise<string> {
  const env = cleanEnv(join(dir, '..', 'home'));
  return (await execa('git', args, { cwd: dir, env, extendEnv: false })).stdout;
}

async function readEnd(dir: string): Promise<Ended> {
  return {
    tree: readFileSync(join(dir, '.runner/state/tree.json'), 'utf8'),
    files: await git(dir, 'ls-tree', '-r', 'HEAD', '--', 'src', 'README.md'),
  };
}

function copyOf(made: Project, name: string): string {
  const folder = tempFolder(name);
  cpSync(join(made.top, '..'), folder, { recursive: true });
  return join(folder, 'repo');
}

/** Runs `work` on every item, `lanes` at a time. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function expectSound(dir: string, expected: Ended, label: string): Promise<void> {
  const ended = await loop(dir, {});
  expect(ended.exitCode, `${label}: ${ended.stderr}`).toBe(0);
  expect(await readEnd(dir), label).toEqual(expected);
  expect(await git(dir, 'status', '--porcelain'), label).toBe('');
  // A session that is played again appends again: nothing is lost, some of it is there twice.
  expect(await git(dir, 'show', 'HEAD:.runner/state/assumptions.md'), label).toContain('- one');
  const subjects = (await git(dir, 'log', '--format=%s'))
    .split('\n')
    .filter((line) => line.includes(' iter '));
  const iterations = subjects.map((line) => line.split(' ')[4]);
  expect(new Set(iterations).size, `${label}: one commit per iteration\n${subjects.join('\n')}`).toBe(
    iterations.length,
  );
  const passes = subjects.filter((line) => line.endsWith('status=done guard=pass'));
  expect(passes.length, label).toBe(2);
}

async function prepare() {
  const made = await project({ script, guard: ['test', '-f', 'README.md'] });
  const hitsFile = join(made.home, 'hits');
  const reference = copyOf(made, 'reference');
  const ran = await loop(reference, { RUNNER_FAILPOINT_LOG: hitsFile });
  expect(ran.exitCode, ran.stderr).toBe(0);
  const names = readFileSync(hitsFile, 'utf8').trim().split('\n');
  return { made, names, expected: await readEnd(reference) };
}

describe('a crash at any instant', () => {
  test('is finished by the next loop', { timeout: 3_600_000 }, async () => {
    const { made, names, expected } = await prepare();
    const step = all ? 1 : Math.max(1, Math.floor(names.length / sampleSize));
    const points = names.map((name, index) => ({ name, k: index + 1 })).filter(({ k }) => k % step === 0);
    console.log(`crash points: ${points.length} of ${names.length}`);
    expect(names.length).toBeGreaterThan(100);
    let kills = 0;
    await inLanes(points, async ({ name, k }) => {
      const label = `killed at ${k} (${name})`;
      const dir = copyOf(made, 'crash');
      const killed = await loop(dir, { RUNNER_FAILPOINT: String(k) });
      if (killed.signal === 'SIGKILL') kills += 1;
      // A copy may need a call less than the first run: then the last points are never reached.
      else expect(killed.exitCode, `${label}: ${killed.stderr}`).toBe(0);
      await expectSound(dir, expected, label);
    });
    expect(kills).toBeGreaterThan(points.length * 0.9);
  });

  test('may come again during recovery', { timeout: 3_600_000 }, async () => {
    const { made, names, expected } = await prepare();
    const starts = all ? 60 : 4;
    const points = Array.from({ length: starts }, (_, index) =>
      Math.floor(((index + 0.5) * names.length) / starts),
    );
    await inLanes(points, async (k) => {
      const dir = copyOf(made, 'crash-twice');
      const kills = [k, 5, 11, 23, 2];
      for (const at of kills) await loop(dir, { RUNNER_FAILPOINT: String(at) });
      await expectSound(dir, expected, `killed at ${kills.join(', then ')}`);
    });
  });
});

/** What a `start` must leave, whatever its guard did and wherever it was killed before. */
async function expectStarted(dir: string, label: string): Promise<void> {
  const ended = await runner(dir, 'start', {});
  expect(ended.exitCode, `${label}: ${ended.stderr}`).toBe(0);
  expect(await git(dir, 'status', '--porcelain'), label).toBe('');
  expect(await git(dir, 'branch', '--show-current'), label).toBe('runner/test');
  expect(await git(dir, 'log', '--format=%s', 'main..HEAD'), label).toBe('chore(loop): start run test');
  expect(await git(dir, 'diff', '--name-only', 'main', 'HEAD', '--', ':!.runner'), label).toBe('');
  expect(await git(dir, 'show', 'HEAD:.runner/GOAL.md'), label).toContain('Not committed before start.');
  expect(readFileSync(join(dir, '.env'), 'utf8'), label).toBe('secret\n');
  const state = JSON.parse(await git(dir, 'show', 'HEAD:.runner/state/run_state.json')) as RunState;
  expect(state, label).toMatchObject({ run_id: 'test', guard_baseline: 'red' });
  const kept = await git(dir, 'log', '--all', '--format=', '--name-only', '--glob=refs/runner/rescue/*');
  expect(kept.split('\n'), label).toContain('build/x');
}

test(
  'a crash of `start` at any instant, also while its guard ran, is finished by the next start',
  { timeout: 3_600_000 },
  async () => {
    const guard = [
      'sh',
      '-c',
      'echo x > README.md; mkdir -p build; echo x > build/x; rm .runner/GOAL.md; git add -A; git tag x; exit 1',
    ];
    const made = await unstartedProject({ guard, files: { '.gitignore': '.env\n' } });
    made.put('.env', 'secret\n');
    made.put('.runner/GOAL.md', '---\nid: test\n---\nNot committed before start.\n');
    const hitsFile = join(made.home, 'hits');
    const reference = copyOf(made, 'reference');
    const ran = await runner(reference, 'start', { RUNNER_FAILPOINT_LOG: hitsFile });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const names = readFileSync(hitsFile, 'utf8').trim().split('\n');
    expect(names.filter((name) => name === 'write:after:journal.jsonl')).toHaveLength(2);
    const step = all ? 1 : Math.max(1, Math.floor(names.length / sampleSize));
    const points = names.map((name, index) => ({ name, k: index + 1 })).filter(({ k }) => k % step === 0);
    console.log(`crash points of start: ${points.length} of ${names.length}`);
    await inLanes(points, async ({ name, k }) => {
      const dir = copyOf(made, 'crash-start');
      const kills = all ? [k] : [k, 25];
      for (const at of kills) await runner(dir, 'start', { RUNNER_FAILPOINT: String(at) });
      await expectStarted(dir, `killed at ${kills.join(', then ')} (${name})`);
    });
  },
);

test(
  'a crash at any instant around a guard that cleans the work tree loses nothing of what the agent wrote',
  { timeout: 3_600_000 },
  async () => {
    const session = (name: string) => ({
      actions: [write(name, 'made\n')],
      answer: answer('done', 'made it'),
    });
    const made = await project({
      // After a crash of the guard there is nothing left to pass, and the agent is asked once more.
      script: [session('made.txt'), session('again.txt'), session('again.txt')],
      guard: ['git', 'clean', '-fdxq'],
    });
    const hitsFile = join(made.home, 'hits');
    const reference = copyOf(made, 'reference');
    const ran = await loop(reference, { RUNNER_FAILPOINT_LOG: hitsFile });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await git(reference, 'show', 'refs/runner/rescue/test/1:made.txt')).toBe('made');
    const names = readFileSync(hitsFile, 'utf8').trim().split('\n');
    const step = all ? 1 : Math.max(1, Math.floor(names.length / sampleSize));
    const points = names.map((name, index) => ({ name, k: index + 1 })).filter(({ k }) => k % step === 0);
    console.log(`crash points of a guard that cleans up: ${points.length} of ${names.length}`);
    await inLanes(points, async ({ name, k }) => {
      const label = `killed at ${k} (${name})`;
      const dir = copyOf(made, 'crash-clean');
      await loop(dir, { RUNNER_FAILPOINT: String(k) });
      const ended = await loop(dir, {});
      expect(ended.exitCode, `${label}: ${ended.stderr}`).toBe(0);
      const kept = await git(dir, 'log', '--all', '--format=', '--name-only');
      expect(kept.split('\n'), label).toContain('made.txt');
      expect(await git(dir, 'status', '--porcelain'), label).toBe('');
    });
  },
);
