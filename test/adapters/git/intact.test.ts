import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitManager } from '../../../src/adapters/git/manager.ts';
import { objectPath } from '../../../src/adapters/git/objects.ts';
import type { GitManager } from '../../../src/ports/git-manager.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo): GitManager {
  return gitManager({ projectDir: repo.dir, env: repo.env });
}

/** Files that are older than the index: git does not read them again. */
function work(repo: TestRepo, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    repo.write(path, text);
    utimesSync(join(repo.dir, path), 1_700_000_000, 1_700_000_000);
  }
}

function commitOf(parent: string, work_tree: string) {
  return {
    branch: 'runner/r1',
    parent,
    work_tree,
    message: 'm',
    run_hooks: false,
    sign: false,
    cookie: 'c',
  } as const;
}

async function begin() {
  const repo = makeRepo();
  startTestRun(repo);
  const git = open(repo);
  work(repo, { 'first.txt': 'first\n' });
  const result = await git.commit(commitOf(repo.head(), await git.workTreeId()));
  expect(result.kind).toBe('committed');
  const baseline = repo.head();
  const from = await git.workTreeId();
  const request = { from, file: join(repo.dir, '.runner/iterations/r1/1/diff.patch'), bytesMax: 1000 };
  return { repo, git, baseline, request };
}

test('what is cleaned away between look and commit is written again', async () => {
  const { repo, git, baseline, request } = await begin();
  work(repo, { 'first.txt': 'changed\n', 'folder/new.bin': '\0' });
  const to = await git.workTreeId();
  repo.git('gc', '--quiet', '--prune=now');
  expect([repo.tryGit('cat-file', '-e', request.from), repo.tryGit('cat-file', '-e', to)]).toEqual([1, 1]);
  const origin = { baseline, committed: null };
  const changed = await git.changedPaths({ from: request.from, to, origin });
  expect(changed).toEqual(['first.txt', 'folder/new.bin']);
  repo.git('gc', '--quiet', '--prune=now');
  expect(await git.loadDiff({ ...request, orFrom: request.from, to, origin })).toContain('+changed\n');
  repo.git('gc', '--quiet', '--prune=now');
  await git.saveDiff({ ...request, to, origin });
  expect(readFileSync(request.file, 'utf8')).toContain('+changed\n');
  await git.commit(commitOf(baseline, to));
  expect(repo.tryGit('fsck', '--strict', '--full')).toBe(0);
  expect(repo.git('show', 'HEAD:first.txt')).toBe('changed');
});

test.each([
  ['behind the end of the patch', 1000],
  ['behind the end of the list of files', 100],
])('a file that is gone %s is noticed as well', async (_, bytesMax) => {
  const { repo, git, baseline, request } = await begin();
  // A name is no line of the list, whatever it looks like.
  work(repo, { 'a.txt': 'long line\n'.repeat(1000), ':0 1 ab cd M': 'x', 'z.txt': 'last\n' });
  const to = await git.workTreeId();
  rmSync(objectPath({ commonDir: join(repo.dir, '.git') }, repo.git('hash-object', 'z.txt')));
  await git.saveDiff({ ...request, bytesMax, to, origin: { baseline, committed: null } });
  await git.commit(commitOf(baseline, to));
  expect(repo.tryGit('fsck', '--strict', '--full')).toBe(0);
  expect(repo.git('show', 'HEAD:z.txt')).toBe('last');
});

test('objects in a pack are there; what is gone and was changed since is an error', async () => {
  const { repo, git, baseline, request } = await begin();
  work(repo, { 'kept.txt': 'kept\n' });
  const to = await git.workTreeId();
  const origin = { baseline, committed: null };
  repo.git('tag', 'kept', to);
  repo.git('gc', '--quiet', '--prune=now');
  await git.saveDiff({ ...request, to, origin });
  repo.git('tag', '-d', 'kept');
  repo.git('gc', '--quiet', '--prune=now');
  work(repo, { 'kept.txt': 'other\n' });
  await expect(git.saveDiff({ ...request, to, origin })).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

test('after the commit both trees come from commits, whatever is on disk', async () => {
  const { repo, git, baseline, request } = await begin();
  work(repo, { 'first.txt': 'committed\n' });
  const to = await git.workTreeId();
  await git.commit(commitOf(baseline, to));
  repo.git('gc', '--quiet', '--prune=now');
  work(repo, { 'first.txt': 'a person goes on\n' });
  await open(repo).saveDiff({ ...request, to, origin: { baseline, committed: repo.head() } });
  expect(readFileSync(request.file, 'utf8')).toContain('+committed\n');
});

test.each([
  ['all objects', (repo: TestRepo) => repo.git('gc', '--quiet', '--prune=now')],
  [
    'a folder alone',
    (repo: TestRepo, to: string) =>
      rmSync(objectPath({ commonDir: join(repo.dir, '.git') }, repo.git('rev-parse', `${to}:folder`))),
  ],
  [
    'the top alone',
    (repo: TestRepo, to: string) => rmSync(objectPath({ commonDir: join(repo.dir, '.git') }, to)),
  ],
])('a patch worked out beforehand does not hide that %s went away since', async (_, clean) => {
  const { repo, git, baseline, request } = await begin();
  // So many that their trees are taken from the index when the commit is made.
  const others = Array.from({ length: 20 }, (_unused, at) => [`other-${at + 10}/file.txt`, 'new\n']);
  work(repo, { 'folder/new.txt': 'new\n', ...Object.fromEntries(others) });
  const to = await git.workTreeId();
  const range = { from: request.from, to, bytesMax: 100_000 };
  git.expectDiff(range);
  // Takes as long as what was begun before it.
  const patch = await git.loadDiff({ ...range, orFrom: request.from });
  clean(repo, to);
  await git.saveDiff({ ...request, ...range, origin: { baseline, committed: null } });
  expect(readFileSync(request.file, 'utf8')).toBe(patch);
  expect(await git.changedPaths(range)).toEqual(['folder/new.txt', ...others.map(([path]) => path)]);
  await git.commit(commitOf(baseline, to));
  expect(repo.tryGit('fsck', '--strict', '--full')).toBe(0);
});

test('a patch worked out for other trees, or that could not be, is not used', async () => {
  const { repo, git, baseline, request } = await begin();
  work(repo, { 'first.txt': 'before the guard\n' });
  git.expectDiff({ from: request.from, to: await git.workTreeId(), bytesMax: request.bytesMax });
  work(repo, { 'first.txt': 'after it\n' });
  const to = await git.workTreeId();
  const origin = { baseline, committed: null };
  await git.saveDiff({ ...request, to, origin });
  expect(readFileSync(request.file, 'utf8')).toContain('+after it\n');
  git.expectDiff({ from: '0'.repeat(40), to, bytesMax: request.bytesMax });
  await git.saveDiff({ ...request, to, origin });
  expect(readFileSync(request.file, 'utf8')).toContain('+after it\n');
});
