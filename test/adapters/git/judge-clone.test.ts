/** The judge's clone (§14): what a checkout of the candidate holds, what it shares with the repository, and what it does not. */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { JudgeClone } from '../../../src/ports/judge.ts';
import { makeRepo, openTestRepo, setIdentity, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

async function open(repo: TestRepo, { prefix = '', baseline = repo.head() } = {}) {
  const git = gitAdapter({ projectDir: join(repo.dir, prefix), env: repo.env });
  const work_tree = await git.workTreeId();
  const clone = await git.judge.open({ run_id: 'r1', branch: 'runner/r1', baseline, work_tree });
  return { git, judge: git.judge, clone, work_tree, inClone: cloneRepo(repo, clone) };
}

function cloneRepo(repo: TestRepo, { top }: JudgeClone): TestRepo {
  return openTestRepo({ ...repo, dir: top });
}

test('the work as it is on disk, `.runner/` as at the baseline, clean, on the branch; the repository is unchanged', async () => {
  const repo = makeRepo();
  repo.write('.gitignore', 'ignored\n');
  startTestRun(repo);
  repo.git('tag', 'v1');
  const refs = repo.git('for-each-ref', 'refs/heads', 'refs/tags');
  repo.write('new/file.txt', 'new\n');
  symlinkSync('file.txt', join(repo.dir, 'new/link'));
  repo.write('ignored', 'x');
  repo.write('.runner/GOAL.md', 'changed by somebody\n');
  repo.write('README.md', '# changed\n');
  const before = repo.dirty();
  const { clone, inClone, judge, work_tree } = await open(repo);
  expect(clone.notes).toEqual([]);
  expect(clone.top.startsWith(join(repo.base, 'home/.local/state/runner/judge'))).toBe(true);
  expect(inClone.dirty()).toEqual([]);
  expect(inClone.git('branch', '--show-current')).toBe('runner/r1');
  expect(inClone.git('rev-parse', 'HEAD^')).toBe(repo.head());
  expect(inClone.git('describe', '--tags')).toMatch(/^v1/);
  expect(inClone.read('new/link')).toBe('new\n');
  expect(inClone.read('.runner/GOAL.md')).toContain('goal');
  expect(inClone.has('ignored')).toBe(false);
  expect(await judge.workTreeId(clone)).toBe(work_tree);
  expect(await judge.listMissing(clone)).toEqual(['ignored']);
  expect(repo.git('for-each-ref', 'refs/heads', 'refs/tags')).toBe(refs);
  expect(repo.git('rev-parse', 'refs/runner/hold/r1')).toBe(clone.commit);
  expect(repo.dirty()).toEqual(before);
  await judge.remove(clone);
  expect(existsSync(clone.folder)).toBe(false);
  expect(readdirSync(join(repo.base, 'home/.local/state/runner/judge'))).toEqual([]);
});

test('what is done in the clone stays there: commits, objects, settings', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  const head = repo.head();
  const { inClone } = await open(repo);
  setIdentity(inClone);
  inClone.write('more.txt', 'more\n');
  inClone.git('add', '-A');
  inClone.git('commit', '-q', '-m', 'in the clone');
  inClone.git('config', 'core.editor', 'evil');
  expect(repo.head()).toBe(head);
  expect(repo.tryGit('cat-file', '-e', inClone.head())).not.toBe(0);
  expect(repo.tryGit('config', '--local', 'core.editor')).toBe(1);
});

test('changes are found, with deletions and modes; ignored files are not among them; files can be laid back', async () => {
  const repo = makeRepo();
  repo.write('gone.txt', 'gone\n');
  repo.write('run.sh', '#!/bin/sh\n');
  repo.write('.gitignore', 'cache/\n');
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'files');
  startTestRun(repo);
  const base = repo.git('rev-parse', 'HEAD^{tree}');
  const { git, judge, clone, inClone, work_tree } = await open(repo);
  inClone.write('cache/x', 'x');
  expect(await judge.workTreeId(clone)).toBe(work_tree);
  inClone.remove('gone.txt');
  inClone.write('made.txt', 'made\n');
  inClone.git('update-index', '--assume-unchanged', 'README.md');
  inClone.write('README.md', '# hidden\n');
  const changed = await judge.workTreeId(clone);
  const paths = await git.changedPaths({ from: work_tree, to: changed });
  expect(paths).toEqual(['README.md', 'gone.txt', 'made.txt']);
  await judge.layBack(clone, { tree: base, paths });
  expect(await judge.workTreeId(clone)).toBe(work_tree);
  expect(repo.dirty()).toEqual([]);
});

describe('settings', () => {
  test('those that decide bytes are taken over, no others: conversion and filters of the user, not hooks or programs', async () => {
    const repo = makeRepo();
    repo.git('config', 'core.autocrlf', 'true');
    repo.git('config', 'filter.shout.smudge', 'tr a-z A-Z');
    repo.git('config', 'filter.shout.clean', 'tr A-Z a-z');
    repo.git('config', 'core.pager', 'evil');
    repo.write('.gitattributes', '*.loud filter=shout\n');
    repo.write('a.loud', 'hello\n');
    repo.write('crlf.txt', 'one\r\ntwo\r\n');
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'converted');
    startTestRun(repo);
    mkdirSync(join(repo.dir, '.git/hooks'), { recursive: true });
    writeFileSync(join(repo.dir, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch evil\n', { mode: 0o755 });
    const { judge, clone, inClone, work_tree } = await open(repo);
    expect(inClone.read('crlf.txt')).toBe('one\r\ntwo\r\n');
    expect(inClone.read('a.loud')).toBe('HELLO\r\n');
    expect(inClone.tryGit('config', '--local', 'core.pager')).toBe(1);
    expect(inClone.has('evil') || inClone.has('.git/hooks')).toBe(false);
    expect(await judge.workTreeId(clone)).toBe(work_tree);
  });
});

describe('places', () => {
  test('a sub-folder, a linked work tree, a shallow clone', async () => {
    const repo = makeRepo();
    startTestRun(repo, { prefix: 'app/' });
    repo.write('app/x.txt', 'x\n');
    const inside = await open(repo, { prefix: 'app/' });
    expect(readFileSync(join(inside.clone.projectDir, 'x.txt'), 'utf8')).toBe('x\n');

    repo.git('worktree', 'add', '-q', join(repo.base, 'linked'), 'main');
    const linked = openTestRepo({ ...repo, dir: join(repo.base, 'linked') });
    linked.write('l.txt', 'l\n');
    const there = await open(linked);
    expect(there.inClone.read('l.txt')).toBe('l\n');

    repo.git(
      'clone',
      '-q',
      '--depth',
      '1',
      '--branch',
      'runner/r1',
      `file://${repo.dir}`,
      join(repo.base, 'flat'),
    );
    const flat = openTestRepo({ ...repo, dir: join(repo.base, 'flat') });
    setIdentity(flat);
    flat.write('f.txt', 'f\n');
    const shallow = await open(flat);
    expect(shallow.inClone.git('log', '--format=%s')).toContain('chore(loop): start run r1');
  });

  test('a repository whose work tree holds the state folder: the clone is elsewhere', async () => {
    const repo = makeRepo();
    startTestRun(repo);
    const env = { ...repo.env, XDG_STATE_HOME: join(repo.dir, 'state') };
    const git = gitAdapter({ projectDir: repo.dir, env });
    const work_tree = await git.workTreeId();
    const clone = await git.judge.open({
      run_id: 'r1',
      branch: 'runner/r1',
      baseline: repo.head(),
      work_tree,
    });
    expect(clone.top.startsWith(repo.dir)).toBe(false);
    expect(repo.has('state')).toBe(false);
    await git.judge.remove(clone);
    expect(existsSync(clone.folder)).toBe(false);
  });

  test('a ref that leads nowhere costs the branches and tags, and is said', async () => {
    const repo = makeRepo();
    startTestRun(repo);
    writeFileSync(join(repo.dir, '.git/refs/heads/broken'), `${'1'.repeat(40)}\n`);
    const { clone, inClone } = await open(repo);
    expect(clone.notes.join()).toContain('the clone has no branches and tags but its own');
    expect(inClone.git('branch', '--show-current')).toBe('runner/r1');
  });

  test('what cannot be made leaves nothing', async () => {
    const repo = makeRepo();
    const baseline = startTestRun(repo);
    const { judge } = gitAdapter({ projectDir: repo.dir, env: repo.env });
    const request = {
      run_id: 'r1',
      branch: 'not..a..branch',
      baseline,
      work_tree: repo.git('rev-parse', 'HEAD^{tree}'),
    };
    await expect(judge.open(request)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(readdirSync(join(repo.base, 'home/.local/state/runner/judge'))).toEqual([]);
  });
});

test('a submodule comes from the work tree, with its own; a new one is named and stays empty', async () => {
  const repo = makeRepo();
  const outer = openTestRepo({ ...repo, dir: join(repo.base, 'outer') });
  const inner = openTestRepo({ ...repo, dir: join(repo.base, 'inner') });
  for (const made of [inner, outer]) {
    mkdirSync(made.dir);
    made.git('init', '-q', '-b', 'main');
    setIdentity(made);
    made.write('code.txt', 'code\n');
    made.git('add', '-A');
    made.git('commit', '-q', '-m', 'code');
  }
  const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add'];
  outer.git(...add, inner.dir, 'deep');
  outer.git('commit', '-q', '-m', 'deep');
  repo.git(...add, outer.dir, 'lib');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init', '--recursive');
  repo.git('commit', '-q', '-m', 'lib');
  startTestRun(repo);
  const first = await open(repo);
  expect(first.inClone.read('lib/code.txt')).toBe('code\n');
  expect(first.inClone.read('lib/deep/code.txt')).toBe('code\n');
  expect(first.clone.notes).toEqual([]);
  expect(await first.judge.workTreeId(first.clone)).toBe(first.work_tree);

  const baseline = repo.head();
  repo.git(...add, inner.dir, 'new');
  const second = await open(repo, { baseline });
  expect(second.clone.notes).toEqual([
    'a session made or moved the submodule "new", so the clone does not have it',
  ]);
  expect(second.inClone.has('new/code.txt')).toBe(false);
  expect(second.inClone.read('lib/deep/code.txt')).toBe('code\n');
});
