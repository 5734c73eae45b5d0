import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import {
  commitRequest,
  makeRepo,
  openTestRepo,
  setIdentity,
  settling,
  startTestRun,
} from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function begin(prefix = ''): { repo: TestRepo; git: GitPort; baseline: string } {
  const repo = makeRepo();
  repo.write('folder/tracked.txt', 'one\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'tracked');
  const baseline = startTestRun(repo, { prefix });
  return { repo, git: gitAdapter({ projectDir: join(repo.dir, prefix), env: repo.env }), baseline };
}

function initNested(repo: TestRepo, folder: string, { commit }: { readonly commit: boolean }): void {
  repo.write(`${folder}/inside.txt`, 'inside\n');
  repo.git('init', '--quiet', '--initial-branch=main', folder);
  const nested = openTestRepo({ ...repo, dir: join(repo.dir, folder) });
  setIdentity(nested);
  if (commit) {
    nested.git('add', '-A');
    nested.git('commit', '--quiet', '-m', 'nested');
  }
}

async function workFiles(repo: TestRepo, git: GitPort): Promise<readonly string[]> {
  const listed = repo.git('ls-tree', '-r', '-z', await git.workTreeId()).split('\0');
  return listed.filter((line) => line !== '').map((line) => line.replace(/ \w+ \w+\t/, ' '));
}

test.each([{ commit: false }, { commit: true }])(
  'a new repository (with a commit: $commit) becomes ordinary files, its .git is kept',
  async ({ commit }) => {
    const { repo, git, baseline } = begin();
    initNested(repo, 'made here', { commit });
    expect((await git.snapshot()).nested_repositories).toEqual(['made here/']);
    const { notes } = await git.settle(settling(baseline, 4));
    expect(notes).toEqual([
      'the folder "made here" was a git repository of its own; its files are ordinary work now, and its .git is kept in the git folder under runner/nested/4/1-made_here',
    ]);
    expect(await workFiles(repo, git)).toContain('100644 made here/inside.txt');
    expect(statSync(join(repo.dir, '.git/runner/nested/4/1-made_here/.git')).isDirectory()).toBe(true);
    expect(await git.settle(settling(baseline, 4))).toMatchObject({ head: baseline, notes: [] });
  },
);

test('git init among tracked files: the files stay ordinary and the .git goes', async () => {
  const { repo, git, baseline } = begin();
  initNested(repo, 'folder', { commit: true });
  const { notes } = await git.settle(settling(baseline, 4));
  expect(notes).toHaveLength(1);
  expect(repo.has('folder/.git')).toBe(false);
  expect(await workFiles(repo, git)).toEqual([
    '100644 README.md',
    '100644 folder/inside.txt',
    '100644 folder/tracked.txt',
  ]);
});

test('repositories in repositories come to light one after the other', async () => {
  const { repo, git, baseline } = begin();
  initNested(repo, 'a', { commit: true });
  initNested(repo, 'a/b', { commit: false });
  initNested(repo, 'a/b/c', { commit: true });
  const { notes } = await git.settle(settling(baseline, 4));
  expect(notes).toHaveLength(3);
  expect(readdirSync(join(repo.dir, '.git/runner/nested/4'))).toEqual(['1-a', '2-b', '3-c']);
  expect((await workFiles(repo, git)).filter((line) => line.includes('a/'))).toEqual([
    '100644 a/b/c/inside.txt',
    '100644 a/b/inside.txt',
    '100644 a/inside.txt',
  ]);
});

test('one the agent committed as a bare link becomes ordinary files too', async () => {
  const { repo, git, baseline } = begin();
  initNested(repo, 'linked', { commit: true });
  repo.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'linked');
  repo.git('commit', '--quiet', '-m', 'a link');
  const { head, notes } = await git.settle(settling(baseline, 4));
  expect(head).toBe(repo.head());
  expect(notes).toHaveLength(1);
  expect(await workFiles(repo, git)).toContain('100644 linked/inside.txt');
  const fresh = gitAdapter({ projectDir: repo.dir, env: repo.env });
  expect(await fresh.workTreeId()).toBe(await git.workTreeId());
});

test('a work tree the agent linked inside is treated the same', async () => {
  const { repo, git, baseline } = begin();
  repo.git('worktree', 'add', '--quiet', '-b', 'other', 'tree');
  await git.settle(settling(baseline, 4));
  expect(await workFiles(repo, git)).toContain('100644 tree/README.md');
});

test('one inside .runner, also when the project ignores .runner', async () => {
  for (const ignore of ['', '.runner\n']) {
    const { repo, git, baseline } = begin();
    repo.write('.gitignore', ignore);
    initNested(repo, '.runner/nodes/root/artifacts', { commit: true });
    const { notes } = await git.settle(settling(baseline, 4));
    expect(notes).toHaveLength(1);
    await git.commit(commitRequest(baseline, await git.workTreeId()));
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toContain(
      '.runner/nodes/root/artifacts/inside.txt',
    );
  }
});

test('the project folder itself', async () => {
  const { repo, git, baseline } = begin('sub/');
  await git.locate();
  initNested(repo, 'sub', { commit: true });
  expect((await git.settle(settling(baseline, 4))).notes).toHaveLength(1);
  expect(await gitAdapter({ projectDir: join(repo.dir, 'sub'), env: repo.env }).locate()).toMatchObject({
    top: repo.dir,
  });
});

test('a folder whose name is no UTF-8', async () => {
  const { repo, git, baseline } = begin();
  const folder = Buffer.concat([Buffer.from(`${repo.dir}/n-`), Buffer.from([0xff])]);
  mkdirSync(folder);
  writeFileSync(Buffer.concat([folder, Buffer.from('/file')]), 'x');
  mkdirSync(Buffer.concat([folder, Buffer.from('/.git')]));
  for (const [name, text] of [
    ['HEAD', 'ref: refs/heads/main\n'],
    ['config', '[core]\n'],
  ] as const)
    writeFileSync(Buffer.concat([folder, Buffer.from(`/.git/${name}`)]), text);

  mkdirSync(Buffer.concat([folder, Buffer.from('/.git/objects')]));
  mkdirSync(Buffer.concat([folder, Buffer.from('/.git/refs')]));
  expect((await git.snapshot()).nested_repositories).toHaveLength(1);
  expect((await git.settle(settling(baseline, 4))).notes).toHaveLength(1);
  expect((await git.snapshot()).nested_repositories).toEqual([]);
  expect((await workFiles(repo, git)).some((line) => line.endsWith('/file'))).toBe(true);
});

test('submodules, old and newly added ones, are left alone', async () => {
  const { repo, git } = begin();
  initNested(repo, '../library', { commit: true });
  repo.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(repo.base, 'library'),
    'old',
  );
  repo.git('commit', '--quiet', '-m', 'submodule');
  const baseline = repo.head();
  repo.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(repo.base, 'library'),
    'new',
  );
  expect(await git.settle(settling(baseline, 4))).toMatchObject({ head: baseline, notes: [] });
  const files = await workFiles(repo, git);
  expect(files.filter((line) => line.startsWith('160000'))).toEqual(['160000 new', '160000 old']);
  expect(repo.has('old/.git') && repo.has('new/.git')).toBe(true);
  expect(await git.workTreeId()).toBe(await git.workTreeId());
});

test('ignored repositories are not looked at', async () => {
  const { repo, git, baseline } = begin();
  repo.write('.gitignore', 'vendor/\n');
  initNested(repo, 'vendor/dep', { commit: true });
  expect((await git.settle(settling(baseline, 4))).notes).toEqual([]);
  expect(repo.has('vendor/dep/.git')).toBe(true);
});

test('one the guard left behind is absorbed after a session, and named before any', async () => {
  const { repo, git, baseline } = begin();
  initNested(repo, 'left', { commit: false });
  expect((await git.snapshot()).nested_repositories).toEqual(['left/']);
  repo.remove('left');
  await git.settle(settling(baseline, 4));
  initNested(repo, 'left', { commit: false });
  initNested(repo, 'left too', { commit: true });
  const files = await workFiles(repo, git);
  expect(files).toContain('100644 left/inside.txt');
  expect(files).toContain('100644 left too/inside.txt');
});
