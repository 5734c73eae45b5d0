import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo, prefix = ''): GitPort {
  return gitAdapter({ projectDir: join(repo.dir, prefix), env: repo.env });
}

/** What must not change: branch and refs, the user's index, what `git status` says. */
function standing(repo: TestRepo): readonly unknown[] {
  return [
    repo.git('for-each-ref'),
    repo.git('symbolic-ref', 'HEAD'),
    readFileSync(join(repo.dir, '.git/index')).toString('hex'),
    repo.dirty(),
  ];
}

function filesOf(repo: TestRepo, tree: string): readonly string[] {
  return repo.git('ls-tree', '-r', '--name-only', tree).split('\n');
}

function commitAll(repo: TestRepo): string {
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'change');
  return repo.head();
}

describe('wholeTreeId', () => {
  test.each(['', 'sub/'])('is what a commit would hold, the runner’s files with it (%j)', async (prefix) => {
    const repo = makeRepo();
    startTestRun(repo, { prefix });
    repo.write('.gitignore', '*.log\n');
    repo.write('work.txt', 'work');
    repo.write('staged.txt', 'staged');
    repo.git('add', 'staged.txt');
    repo.write('staged.txt', 'on disk');
    repo.write('debug.log', 'ignored');
    repo.remove('README.md');
    repo.write(`${prefix}.runner/state/tree.json`, 'changed');
    repo.write(`${prefix}.runner/nodes/a/last.json`, 'new');
    repo.write(`${prefix}.runner/iterations/r1/1/meta.json`, 'local');
    repo.write(`${prefix}.runner/context/goal.md`, 'local');
    const before = standing(repo);
    const git = open(repo, prefix);
    const tree = await git.wholeTreeId();
    expect(standing(repo)).toEqual(before);
    expect(filesOf(repo, tree)).toEqual(
      [
        '.gitignore',
        ...['.gitattributes', '.gitignore', 'GOAL.md', 'nodes/a/last.json', 'state/tree.json'].map(
          (name) => `${prefix}.runner/${name}`,
        ),
        'staged.txt',
        'work.txt',
      ].toSorted(),
    );
    expect(repo.git('show', `${tree}:${prefix}.runner/state/tree.json`)).toBe('changed');
    expect(repo.git('show', `${tree}:staged.txt`)).toBe('on disk');
  });

  test('is the tree of HEAD when nothing changed, and tells every change from it', async () => {
    const repo = makeRepo();
    const head = startTestRun(repo);
    const git = open(repo);
    const tree = await git.wholeTreeId();
    expect(tree).toBe(repo.git('rev-parse', `${head}^{tree}`));
    expect(await git.workTreeId()).not.toBe(tree);
    repo.write('.runner/state/tree.json', 'changed');
    const changed = await git.wholeTreeId();
    expect(await git.changedPaths({ from: tree, to: changed, whole: true })).toEqual([
      '.runner/state/tree.json',
    ]);
    repo.write('.runner/state/tree.json', '{}\n');
    expect(await git.wholeTreeId()).toBe(tree);
  });

  test('what changed since it can be put back from it', async () => {
    const repo = makeRepo();
    startTestRun(repo);
    repo.write('work.txt', 'of the agent');
    const git = open(repo);
    const tree = await git.wholeTreeId();
    repo.write('work.txt', 'of the reviewer');
    repo.write('more.txt', 'of the reviewer');
    repo.write('.runner/GOAL.md', 'of the reviewer');
    symlinkSync('/etc', join(repo.dir, 'link'));
    const paths = await git.changedPaths({ from: tree, to: await git.wholeTreeId(), whole: true });
    expect(await git.changedPaths({ from: tree, to: await git.wholeTreeId() })).toEqual(paths.slice(1));
    expect(paths).toEqual(['.runner/GOAL.md', 'link', 'more.txt', 'work.txt']);
    await git.restorePaths({ commit: tree, paths });
    expect(await git.wholeTreeId()).toBe(tree);
    expect(repo.read('work.txt')).toBe('of the agent');
  });
});

describe('loadDiff', () => {
  test('is the start of the patch as text', async () => {
    const repo = makeRepo();
    const from = repo.head();
    repo.write('README.md', 'changed ü\n');
    repo.write('lines', 'line\n'.repeat(100_000));
    const to = commitAll(repo);
    const git = open(repo);
    const whole = await git.loadDiff({ from, orFrom: to, to, bytesMax: 10_000_000 });
    expect(`${repo.git('diff', '--no-renames', from, to)}\n`).toBe(whole);
    expect(whole).toContain('+changed ü\n');
    const start = await git.loadDiff({ from, orFrom: to, to, bytesMax: 1000 });
    const note = '\n# cut here: the diff is larger than 1000 bytes\n';
    expect(start.endsWith(note)).toBe(true);
    expect(whole.startsWith(start.slice(0, -note.length))).toBe(true);
    expect([start.length > 900, Buffer.byteLength(start) <= 1000]).toEqual([true, true]);
    expect(await git.loadDiff({ from: to, orFrom: to, to, bytesMax: 1000 })).toBe('');
  });

  test('begins at the other tree when the first is no longer there', async () => {
    const repo = makeRepo();
    const orFrom = repo.head();
    repo.write('README.md', 'changed\n');
    const to = commitAll(repo);
    const git = open(repo);
    const range = { orFrom, to, bytesMax: 10_000 };
    expect(await git.loadDiff({ ...range, from: 'f'.repeat(40) })).toContain('+changed\n');
    expect(await git.loadDiff({ ...range, from: to })).toBe('');
    await expect(
      git.loadDiff({ ...range, from: 'f'.repeat(40), orFrom: 'e'.repeat(40) }),
    ).rejects.toMatchObject({ code: 'GIT_FAILED' });
  });

  test('bytes that are no text stop nothing', async () => {
    const repo = makeRepo();
    const from = repo.head();
    repo.write('latin1', Buffer.from([0x61, 0xff, 0x0a]));
    const to = commitAll(repo);
    const text = await open(repo).loadDiff({ from, orFrom: from, to, bytesMax: 10_000 });
    expect(text).toContain('+a\uFFFD\n');
  });
});

test('saveDiff says whether it had to be cut', async () => {
  const repo = makeRepo();
  const from = repo.head();
  repo.write('lines', 'line\n'.repeat(10_000));
  const to = commitAll(repo);
  const file = join(repo.dir, '.runner/iterations/r1/1/review.patch');
  const git = open(repo);
  const paths = ['lines'];
  expect(await git.saveDiff({ from, to, file, bytesMax: 1_000_000 })).toEqual({ cut: false, paths });
  expect(await git.saveDiff({ from, to, file, bytesMax: 5000 })).toEqual({ cut: true, paths });
  expect(readFileSync(file, 'utf8')).toMatch(/# cut here: the diff is larger than 5000 bytes\n$/);
});
