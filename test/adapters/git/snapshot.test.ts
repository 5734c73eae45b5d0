import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import {
  commitRequest,
  makeRepo,
  openTestRepo,
  setIdentity,
  settling,
  startTestRun,
} from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function snapshot(repo: TestRepo) {
  return gitAdapter({ projectDir: repo.dir, env: repo.env }).snapshot();
}

test('a clean tree, a branch, a detached HEAD, no commit yet', async () => {
  const repo = makeRepo();
  const clean = { dirty: [], nested_repositories: [], dirty_submodules: [], is_index_plain: true };
  expect(await snapshot(repo)).toEqual({ head: repo.head(), branch: 'main', ...clean });
  repo.git('checkout', '--quiet', '--detach');
  expect(await snapshot(repo)).toEqual({ head: repo.head(), branch: null, ...clean });
  repo.git('checkout', '--quiet', '--orphan', 'new');
  expect(await snapshot(repo)).toMatchObject({ head: null, branch: 'new', dirty: [{ path: 'README.md' }] });
});

test('every kind of change, sorted; a moved file shows both places', async () => {
  const repo = makeRepo();
  repo.write('b', 'same content for the rename\n');
  repo.write('gone', 'x');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'more');
  repo.git('mv', 'b', 'a');
  repo.remove('gone');
  repo.write('README.md', 'changed');
  repo.write('new dir/ü', 'x');
  repo.git('config', 'status.showUntrackedFiles', 'no');
  expect((await snapshot(repo)).dirty).toEqual([
    { code: '.M', path: 'README.md' },
    { code: 'A.', path: 'a' },
    { code: 'D.', path: 'b' },
    { code: '.D', path: 'gone' },
    { code: '??', path: 'new dir/ü' },
  ]);
});

test('changes hidden by assume-unchanged or skip-worktree are shown; flags without a change are not', async () => {
  const repo = makeRepo();
  repo.write('skipped', 'x');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'more');
  repo.git('update-index', '--assume-unchanged', 'README.md');
  repo.git('update-index', '--skip-worktree', 'skipped');
  expect((await snapshot(repo)).dirty).toEqual([]);
  repo.write('README.md', 'hidden');
  repo.write('skipped', 'hidden');
  repo.write('untracked', 'x');
  expect(repo.dirty()).toEqual(['?? untracked']);
  expect((await snapshot(repo)).dirty).toEqual([
    { code: '.M', path: 'README.md' },
    { code: '.M', path: 'skipped' },
    { code: '??', path: 'untracked' },
  ]);
});

test('dirt inside a submodule is told apart from a moved submodule, whatever the configuration ignores', async () => {
  const repo = makeRepo();
  const library = openTestRepo({ ...repo, dir: join(repo.base, 'library') });
  repo.git('clone', '--quiet', repo.dir, library.dir);
  setIdentity(library);
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib');
  repo.git('commit', '--quiet', '-m', 'submodule');
  repo.git('config', 'diff.ignoreSubmodules', 'all');
  expect(await snapshot(repo)).toMatchObject({ dirty: [], dirty_submodules: [] });
  repo.write('lib/untracked', 'x');
  expect(await snapshot(repo)).toMatchObject({ dirty: [], dirty_submodules: ['lib'] });
  const lib = openTestRepo({ ...repo, dir: join(repo.dir, 'lib') });
  setIdentity(lib);
  lib.git('add', '-A');
  lib.git('commit', '--quiet', '-m', 'moved');
  expect(await snapshot(repo)).toMatchObject({ dirty: [{ code: '.M', path: 'lib' }], dirty_submodules: [] });
});

test('nothing is written and no lock is taken', async () => {
  const repo = makeRepo();
  repo.git('update-index', '--assume-unchanged', 'README.md');
  repo.write('.git/index.lock', '');
  const list = () => new Set(readdirSync(join(repo.dir, '.git'), { recursive: true }).map(String));
  const before = list();
  await snapshot(repo);
  expect(list()).toEqual(before);
});

const tree = '.runner/state/tree.json';

const meddling: readonly (readonly [string, (repo: TestRepo) => void, readonly string[]])[] = [
  ['a changed file', (repo) => repo.write('work.txt', 'other\n'), ['work.txt']],
  ['a file of the same length', (repo) => repo.write('work.txt', 'WORK\n'), ['work.txt']],
  ['a new file', (repo) => repo.write('sub/new.txt', ''), ['sub/new.txt']],
  ['a removed file', (repo) => rmSync(join(repo.dir, 'sub/deep.txt')), ['sub/deep.txt']],
  ['a changed tree.json', (repo) => repo.write(tree, '{}\n'), [tree]],
  ['a new file of the runner', (repo) => repo.write('.runner/nodes/a/x.md', 'x'), ['.runner/nodes/a/x.md']],
  ['a removed file of the runner', (repo) => rmSync(join(repo.dir, tree)), [tree]],
  ['a file that became a program', (repo) => chmodSync(join(repo.dir, tree), 0o755), [tree]],
  [
    'a staged change, taken back on disk',
    (repo) => {
      repo.write('work.txt', 'staged\n');
      repo.git('add', 'work.txt');
      repo.write('work.txt', 'work\n');
    },
    ['work.txt'],
  ],
];

test.each(meddling)('right after a commit of ours: %s is seen', async (_, meddle, dirty) => {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  repo.write('work.txt', 'work\n');
  repo.write('sub/deep.txt', 'deep\n');
  repo.write(tree, '{"iter": 1}\n');
  const { work_tree } = await git.settle(settling(baseline));
  const files = { 'state/tree.json': '{"iter": 1}\n' };
  await git.commit(commitRequest(baseline, work_tree ?? '', { files }));
  expect((await git.snapshot()).dirty).toEqual([]);
  meddle(repo);
  expect((await git.snapshot()).dirty.map(({ path }) => path)).toEqual(dirty);
});
