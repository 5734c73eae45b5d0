/** Pipes, sockets and paths that git cannot take are moved out of the work tree before git reads it (§14). */
import { existsSync, lstatSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import type { Interrupts } from '../../../src/ports/sessions.ts';
import { makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';
import { runProgramNow } from '../../support/spawner-now.ts';

const interrupts = { subscribe: () => () => undefined, current: () => null } as unknown as Interrupts;

function begin(): { readonly repo: TestRepo; readonly git: GitPort; readonly baseline: string } {
  const repo = makeRepo();
  repo.write('tracked.txt', 'one\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'tracked');
  const baseline = startTestRun(repo);
  return { repo, git: gitAdapter({ projectDir: repo.dir, env: repo.env, interrupts }), baseline };
}

function makePipe(repo: TestRepo, path: string): void {
  runProgramNow({ program: 'mkfifo', args: [path], cwd: repo.dir, env: { PATH: process.env['PATH'] ?? '' } });
}

test.each([
  '.gitignore',
  '.gitattributes',
  'deep/er/.gitignore',
  'deep/.gitattributes',
  '.gitmodules',
  'pipe',
])('a pipe named %s is moved aside and told, and the work is seen', async (path) => {
  const { repo, git, baseline } = begin();
  repo.write('deep/er/file.txt', 'x\n');
  makePipe(repo, path);
  const { notes, work_tree } = await git.settle(settling(baseline, 3));
  expect(notes).toEqual([
    `moved "${path}", a named pipe, out of the work tree; it is kept in the git folder under runner/special/3`,
  ]);
  expect(existsSync(join(repo.dir, path))).toBe(false);
  const [name = ''] = readdirSync(join(repo.dir, '.git/runner/special/3'));
  expect(lstatSync(join(repo.dir, '.git/runner/special/3', name)).isFIFO()).toBe(true);
  expect(repo.git('show', `${work_tree ?? ''}:deep/er/file.txt`)).toBe('x');
});

test('a pipe in the place of a tracked file: the file is gone', async () => {
  const { repo, git, baseline } = begin();
  repo.remove('tracked.txt');
  makePipe(repo, 'tracked.txt');
  const { work_tree } = await git.settle(settling(baseline));
  expect(repo.git('ls-tree', '--name-only', work_tree ?? '')).not.toContain('tracked.txt');
});

test('a socket that was there before the session stays; one named like a file of git does not', async () => {
  const { repo, git, baseline } = begin();
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(join(repo.dir, 'server.sock'), resolve));
  makePipe(repo, '.gitattributes');
  // A session that begins later; nobody waits for it here.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  await git.remember();
  const { notes } = await git.settle(settling(baseline));
  expect(notes).toHaveLength(1);
  expect(notes[0]).toContain('".gitattributes"');
  expect(existsSync(join(repo.dir, 'server.sock'))).toBe(true);
});

test('paths too long for git are moved aside with the folder that holds them', async () => {
  const { repo, git, baseline } = begin();
  const name = 'd'.repeat(200);
  // Made from inside: the whole path is longer than the system takes.
  const script = `for i in $(seq 30); do mkdir ${name} && cd ${name} || exit 1; done; echo hidden > file`;
  expect(
    runProgramNow({
      program: 'bash',
      args: ['-c', script],
      cwd: repo.dir,
      env: { PATH: process.env['PATH'] ?? '' },
    }).code,
  ).toBe(0);
  const { notes } = await git.settle(settling(baseline));
  expect(notes).toEqual([expect.stringMatching(/a folder with paths that are too long for git/)]);
  expect((await git.settle(settling(baseline))).notes).toEqual([]);
  expect(readdirSync(join(repo.dir, '.git/runner/special/1'))).toHaveLength(1);
});

test('a rewrite of the same length within the second is seen, also with index version 4 and a clock ahead', async () => {
  const { repo, git, baseline } = begin();
  repo.git('update-index', '--index-version', '4');
  mkdirSync(join(repo.dir, 'x'));
  const before = await git.workTreeId();
  repo.write('tracked.txt', 'two\n');
  const ahead = new Date(Date.now() + 3_600_000);
  utimesSync(join(repo.dir, 'tracked.txt'), ahead, ahead);
  const second = (await git.settle(settling(baseline))).work_tree;
  expect(second).not.toBe(before);
  repo.write('tracked.txt', 'six\n');
  utimesSync(join(repo.dir, 'tracked.txt'), ahead, ahead);
  expect((await git.settle(settling(baseline))).work_tree).not.toBe(second);
});
