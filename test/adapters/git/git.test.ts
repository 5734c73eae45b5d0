import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import { journalStore } from '../../../src/adapters/project/journal-store.ts';
import { privateLayout } from '../../../src/adapters/files/layout.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import { journalBase } from '../../support/facts.ts';
import {
  commitRequest,
  commitTreeId,
  makeRepo,
  openTestRepo,
  setIdentity,
  settling,
  startTestRun,
} from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Shape {
  readonly name: string;
  readonly make: () => { readonly repo: TestRepo; readonly prefix: string };
}

function linkedWorktree(): TestRepo {
  const repo = makeRepo();
  const dir = join(repo.base, 'linked');
  repo.git('worktree', 'add', '--quiet', '-b', 'other', dir);
  return openTestRepo({ ...repo, dir });
}

function withSubmodule(): TestRepo {
  const repo = makeRepo();
  const library = openTestRepo({ ...repo, dir: join(repo.base, 'library') });
  repo.git('init', '--quiet', '--initial-branch=main', library.dir);
  setIdentity(library);
  library.write('lib.txt', 'lib\n');
  library.git('add', '-A');
  library.git('commit', '--quiet', '-m', 'lib');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib');
  repo.git('commit', '--quiet', '-m', 'submodule');
  return repo;
}

function ignoringRunner(): TestRepo {
  const repo = makeRepo();
  repo.write('.gitignore', '.runner\n*.log\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'ignore');
  return repo;
}

const shapes: readonly Shape[] = [
  { name: 'repository root', make: () => ({ repo: makeRepo(), prefix: '' }) },
  { name: 'sub-folder', make: () => ({ repo: makeRepo(), prefix: 'a b[1]/sub/' }) },
  { name: 'linked work tree', make: () => ({ repo: linkedWorktree(), prefix: '' }) },
  { name: 'linked work tree, sub-folder', make: () => ({ repo: linkedWorktree(), prefix: 'sub/' }) },
  { name: 'with a submodule', make: () => ({ repo: withSubmodule(), prefix: '' }) },
  { name: '.runner ignored by the project', make: () => ({ repo: ignoringRunner(), prefix: '' }) },
];

function open(repo: TestRepo, prefix = ''): GitPort {
  return gitAdapter({ projectDir: join(repo.dir, prefix), env: repo.env });
}

const weirdNames = [
  'with space',
  'line\nbreak',
  '"quoted"',
  "it's",
  'tab\there',
  'ünïcode',
  '-dash',
  ':(top)x',
  'a*b',
];

describe.each(shapes)('$name', ({ make }) => {
  test('a whole iteration ends with a clean tree and exactly the bytes of the work', async () => {
    const { repo, prefix } = make();
    const baseline = startTestRun(repo, { prefix });
    const git = open(repo, prefix);
    expect(await git.locate()).toEqual({
      top: repo.dir,
      git_dir: repo.git('rev-parse', '--absolute-git-dir'),
      common_dir: resolve(repo.dir, repo.git('rev-parse', '--git-common-dir')),
      prefix,
    });
    await git.checkSetup();
    await git.checkLocks('runner/r1');
    expect((await git.snapshot()).dirty).toEqual([]);
    const before = commitTreeId(repo, baseline, prefix);
    expect(await git.workTreeId()).toBe(before);

    for (const name of weirdNames) repo.write(`${prefix}${name}`, `${name}\n`);

    writeFileSync(
      Buffer.concat([Buffer.from(`${join(repo.dir, prefix)}/bad-`), Buffer.from([0xff])]),
      'bytes\n',
    );
    repo.write('ignored.txt.log', 'x');
    symlinkSync('nowhere', join(repo.dir, 'link'));
    repo.write(`${prefix}.runner/state/tree.json`, '{"new": true}\n');
    repo.write(`${prefix}.runner/context/goal.md`, 'local\n');
    repo.write(`${prefix}.runner/iterations/r1/1/meta.json`, 'local\n');
    repo.write(`${prefix}.runner/nodes/context/last.json`, 'kept\n');
    repo.write(`${prefix}.runner/state/.runner-stage-${'a'.repeat(32)}`, 'half');

    expect(await git.settle(settling(baseline))).toMatchObject({ head: baseline, notes: [] });
    const work = await git.workTreeId();
    expect(work).not.toBe(before);
    const message = 'chore(loop): run r1 iter 1 node root status=done guard=pass\n\nbody\n';
    const files = { 'state/tree.json': '{"new": true}\n', 'nodes/context/last.json': 'kept\n' };
    expect(await git.commit(commitRequest(baseline, work, { message, files }))).toEqual({
      kind: 'committed',
      commit: repo.head(),
    });
    expect(repo.dirty()).toEqual([]);
    expect((await git.snapshot()).dirty).toEqual([]);
    expect(commitTreeId(repo, repo.head(), prefix)).toBe(work);
    expect(await git.workTreeId()).toBe(work);
    const names = repo
      .git('ls-tree', '-r', '-z', '--name-only', 'HEAD', '--', `${prefix}.runner`)
      .split('\0');
    expect(names.filter((name) => name !== '').map((name) => name.slice(`${prefix}.runner/`.length))).toEqual(
      ['.gitattributes', '.gitignore', 'GOAL.md', 'nodes/context/last.json', 'state/tree.json'],
    );
    expect(repo.git('show', `HEAD:${prefix}.runner/state/tree.json`)).toBe('{"new": true}');
    expect(repo.git('log', '-1', '--format=%an <%ae>|%cn|%B')).toBe(
      'Test Person <test@example.invalid>|Test Person|chore(loop): run r1 iter 1 node root status=done guard=pass\n\nbody',
    );
    expect(repo.git('rev-parse', 'HEAD^')).toBe(baseline);
    expect(repo.git('fsck', '--no-dangling')).toBe('');
  });
});

test('only the names of the private folder are new in the git folder after an iteration', async () => {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = open(repo);
  repo.write('new.txt', 'x');
  await git.settle(settling(baseline));
  const work_tree = await git.workTreeId();
  await git.commit(commitRequest(baseline, work_tree));
  const left = readdirSync(join(repo.dir, '.git', 'runner')).toSorted();
  expect(existsSync(join(repo.dir, '.git', 'index.lock'))).toBe(false);
  expect(left).toEqual(['index']);
});

test('outside a repository, in a bare one and without git: named, with the command that helps', async () => {
  const repo = makeRepo();
  const outside = gitAdapter({ projectDir: repo.base, env: repo.env });
  await expect(outside.locate()).rejects.toMatchObject({ code: 'GIT_NOT_A_REPO', hint: 'git init' });
  repo.git('clone', '--quiet', '--bare', '.', '../bare');
  const bare = gitAdapter({ projectDir: join(repo.base, 'bare'), env: repo.env });
  await expect(bare.locate()).rejects.toMatchObject({
    code: 'GIT_NOT_A_REPO',
    hint: expect.stringContaining('git init') as unknown,
  });
  const missing = gitAdapter({ projectDir: repo.dir, env: { ...repo.env, PATH: repo.base } });
  await expect(missing.locate()).rejects.toMatchObject({ code: 'GIT_MISSING' });
});

test('a work tree named elsewhere by core.worktree is refused with the command', async () => {
  const repo = makeRepo();
  repo.git('config', 'core.worktree', repo.base);
  const hint = `git config --file ${join(repo.dir, '.git/config')} --unset core.worktree`;
  await expect(open(repo).locate()).rejects.toMatchObject({ code: 'GIT_UNSUPPORTED', hint });
});

test('a folder with a line break in its path is located', async () => {
  const repo = makeRepo();
  repo.write('a\nb/x', '');
  const git = open(repo, 'a\nb/');
  expect(await git.locate()).toMatchObject({ top: repo.dir, prefix: 'a\nb/' });
});

test('after a crash a repository the agent made in the project folder does not hide the open iteration', async () => {
  const repo = makeRepo();
  startTestRun(repo, { prefix: 'sub/' });
  repo.git('init', '--quiet', 'sub');
  expect(await open(repo, 'sub/').locate()).toMatchObject({ top: join(repo.dir, 'sub'), prefix: '' });
  const journal = journalStore({ own: privateLayout(join(repo.dir, '.git')), env: repo.env });
  await journal.save({ ...journalBase, prefix: 'sub/', phase: 'agent' });
  expect(await open(repo, 'sub/').locate()).toMatchObject({ top: repo.dir, prefix: 'sub/' });
  await journal.save({ ...journalBase, prefix: 'other/', phase: 'agent' });
  expect(await open(repo, 'sub/').locate()).toMatchObject({ top: join(repo.dir, 'sub'), prefix: '' });
});

test('shortHead is 8 characters, and an empty repository is told what to do', async () => {
  const repo = makeRepo();
  expect(await open(repo).shortHead()).toBe(repo.head().slice(0, 8));
  repo.git('checkout', '--quiet', '--orphan', 'empty');
  await expect(open(repo).shortHead()).rejects.toMatchObject({ code: 'GIT_NO_COMMIT' });
});

test('a repository with another object format works the same', async () => {
  const repo = makeRepo();
  const other = openTestRepo({ ...repo, dir: join(repo.base, 'sha256') });
  repo.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main', other.dir);
  setIdentity(other);
  other.write('a', 'a');
  other.git('add', '-A');
  other.git('commit', '--quiet', '-m', 'one');
  const baseline = startTestRun(other);
  const git = open(other);
  expect(await git.workTreeId()).toBe(commitTreeId(other, baseline));
  expect(await git.settle(settling(baseline))).toMatchObject({
    notes: [],
  });
});
