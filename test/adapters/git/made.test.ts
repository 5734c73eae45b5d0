/** Right after a commit of ours git is hardly asked; whatever anybody does later is still seen. */
import { chmodSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitManager } from '../../../src/adapters/git/manager.ts';
import type { GitManager } from '../../../src/ports/git-manager.ts';
import { countingEnv, gitCalls } from '../../support/counting-git.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

async function afterCommit(): Promise<{ readonly repo: TestRepo; readonly git: GitManager }> {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: countingEnv(repo) });
  const settling = { run_id: 'r1', iter: 1, branch: 'runner/r1', baseline };
  await git.snapshot();
  repo.write('work.txt', 'work\n');
  repo.write('sub/deep.txt', 'deep\n');
  repo.write('.runner/state/tree.json', '{"iter": 1}\n');
  const { head } = await git.settle(settling);
  const work_tree = await git.workTreeId();
  const message = 'chore(loop): run r1 iter 1 node root status=done guard=pass\n';
  const rest = { run_hooks: false, sign: false, cookie: 'c' };
  await git.commit({ branch: 'runner/r1', parent: head, work_tree, message, ...rest });
  gitCalls(repo);
  return { repo, git };
}

test('nothing happened: the first look costs no call, a later one only that at the work tree, and its id comes with it', async () => {
  const { repo, git } = await afterCommit();
  const snapshot = await git.snapshot();
  expect(gitCalls(repo)).toBe(0);
  expect(await git.snapshot()).toEqual(snapshot);
  expect(gitCalls(repo)).toBe(1);
  expect(snapshot).toEqual({
    head: repo.head(),
    branch: 'runner/r1',
    dirty: [],
    nested_repositories: [],
    dirty_submodules: [],
    work_tree: await git.workTreeId(),
  });
  const files = await git.listRunnerFiles(repo.head());
  const fresh = gitManager({ projectDir: repo.dir, env: repo.env });
  expect(files).toEqual(await fresh.listRunnerFiles(repo.head()));
});

const meddling: readonly (readonly [string, (repo: TestRepo) => void, readonly string[]])[] = [
  ['a changed file', (repo) => repo.write('work.txt', 'other\n'), ['work.txt']],
  ['a file of the same length', (repo) => repo.write('work.txt', 'WORK\n'), ['work.txt']],
  ['a new file', (repo) => repo.write('sub/new.txt', ''), ['sub/new.txt']],
  ['a removed file', (repo) => rmSync(join(repo.dir, 'sub/deep.txt')), ['sub/deep.txt']],
  [
    'a changed tree.json',
    (repo) => repo.write('.runner/state/tree.json', '{}\n'),
    ['.runner/state/tree.json'],
  ],
  [
    'a new file of the runner',
    (repo) => repo.write('.runner/nodes/a/context.md', 'x'),
    ['.runner/nodes/a/context.md'],
  ],
  [
    'a removed file of the runner',
    (repo) => rmSync(join(repo.dir, '.runner/state/tree.json')),
    ['.runner/state/tree.json'],
  ],
  [
    'a file of the runner that is too large to be read',
    (repo) => truncateSync(join(repo.dir, '.runner/state/tree.json'), 20 * 1024 * 1024),
    ['.runner/state/tree.json'],
  ],
  [
    'a file that became a program',
    (repo) => chmodSync(join(repo.dir, '.runner/state/tree.json'), 0o755),
    ['.runner/state/tree.json'],
  ],
  [
    'a staged change, taken back on disk',
    (repo) => {
      repo.write('work.txt', 'staged\n');
      repo.git('add', 'work.txt');
      repo.write('work.txt', 'work\n');
    },
    ['work.txt'],
  ],
  [
    'a change behind a flag that hides it',
    (repo) => {
      repo.git('update-index', '--assume-unchanged', 'work.txt');
      repo.write('work.txt', 'hidden\n');
    },
    ['work.txt'],
  ],
];

test.each(meddling)('%s is seen', async (_, meddle, dirty) => {
  const { repo, git } = await afterCommit();
  await git.snapshot();
  meddle(repo);
  expect((await git.snapshot()).dirty.map(({ path }) => path)).toEqual(dirty);
});

test.each(meddling.filter(([, , [path]]) => path?.startsWith('.runner/')))(
  '%s is seen also by the first look',
  async (_, meddle, dirty) => {
    const { repo, git } = await afterCommit();
    meddle(repo);
    expect((await git.snapshot()).dirty.map(({ path }) => path)).toEqual(dirty);
  },
);

test('another branch, a commit on top, a detached HEAD are seen', async () => {
  const { repo, git } = await afterCommit();
  repo.git('switch', '--quiet', '-c', 'other');
  expect(await git.snapshot()).toMatchObject({ branch: 'other', head: repo.head() });
  repo.git('switch', '--quiet', 'runner/r1');
  repo.git('commit', '--quiet', '--allow-empty', '-m', 'on top');
  expect(await git.snapshot()).toMatchObject({ branch: 'runner/r1', head: repo.head() });
  repo.git('checkout', '--quiet', '--detach');
  expect(await git.snapshot()).toMatchObject({ branch: null, head: repo.head() });
});

test('refs: nothing new costs no call; a branch that comes, moves or goes is told once, packed ones too', async () => {
  const { repo, git } = await afterCommit();
  repo.git('branch', 'packed');
  repo.git('pack-refs', '--all');
  await git.snapshot();
  const settle = async (iter: number) =>
    (await git.settle({ run_id: 'r1', iter, branch: 'runner/r1', baseline: repo.head() })).notes;
  expect(await settle(2)).toEqual(['the branch packed was made meanwhile and is left as found']);
  expect(await settle(2)).toEqual([]);
  repo.git('tag', 'v1');
  expect(await settle(3)).toEqual(['the tag v1 was made meanwhile and is left as found']);
  repo.git('branch', '-D', 'packed');
  expect(await settle(4)).toEqual(['the branch packed was removed meanwhile and is left as found']);
  repo.git('branch', 'late', 'HEAD~1');
  await settle(5);
  repo.git('branch', '-f', 'late', 'HEAD');
  expect(await settle(6)).toEqual(['the branch late was moved meanwhile and is left as found']);
  // Packed above; a commit brings the run's own branch out again.
  repo.git('commit', '--quiet', '--allow-empty', '-m', 'on top');
  await settle(7);
  gitCalls(repo);
  expect(await settle(8)).toEqual([]);
  // Only the search for nested repositories is left.
  expect(gitCalls(repo)).toBe(1);
});
