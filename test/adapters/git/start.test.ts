import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import { makeRepo, openTestRepo, setIdentity, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo) {
  return gitAdapter({ projectDir: repo.dir, env: repo.env });
}

function writeRunner(repo: TestRepo): void {
  repo.write('.runner/.gitignore', '/context/\n/iterations/\n');
  repo.write('.runner/GOAL.md', 'goal\n');
  repo.write('.runner/context/goal.md', 'local\n');
}

const message = 'chore(loop): start run r1\n';
const branch = 'runner/r1';

describe('buildStartCommit and finishStart', () => {
  test('nothing moves before the end; then branch, HEAD and index are on the commit and files untouched', async () => {
    const repo = makeRepo();
    writeRunner(repo);
    const git = open(repo);
    const parent = repo.head();
    const commit = (await git.buildStartCommit({ parent, message })) ?? '';
    expect(repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(repo.dirty()).toEqual(['?? .runner/.gitignore', '?? .runner/GOAL.md']);
    for (let times = 0; times < 2; times += 1) {
      await git.finishStart({ branch, commit });
      expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/r1');
      expect(repo.head()).toBe(commit);
      expect(repo.dirty()).toEqual([]);
    }
    expect(repo.git('rev-parse', 'main')).toBe(parent);
    expect(repo.git('log', '-1', '--format=%P|%B')).toBe(`${parent}|chore(loop): start run r1`);
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toEqual([
      '.runner/.gitignore',
      '.runner/GOAL.md',
      'README.md',
    ]);
  });

  test('works when the project ignores .runner, and leaves other untracked files out', async () => {
    const repo = makeRepo();
    repo.write('.gitignore', '.runner\n');
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', 'ignore');
    writeRunner(repo);
    repo.write('other.txt', 'x');
    const git = open(repo);
    const commit = (await git.buildStartCommit({ parent: repo.head(), message })) ?? '';
    expect(repo.git('ls-tree', '-r', '--name-only', commit)).toContain('.runner/GOAL.md');
    expect(repo.git('ls-tree', '-r', '--name-only', commit)).not.toContain('other.txt');
  });

  test('a file of .runner that is gone from disk is gone from the commit', async () => {
    const repo = makeRepo();
    const parent = startTestRun(repo);
    repo.remove('.runner/GOAL.md');
    const commit = (await open(repo).buildStartCommit({ parent, message })) ?? '';
    expect(repo.git('ls-tree', '-r', '--name-only', commit)).not.toContain('GOAL.md');
  });

  test('null when nothing differs from HEAD', async () => {
    const repo = makeRepo();
    const parent = startTestRun(repo);
    repo.write('.runner/context/goal.md', 'local');
    expect(await open(repo).buildStartCommit({ parent, message })).toBe(null);
    await open(repo).finishStart({ branch, commit: parent });
    expect(repo.dirty()).toEqual([]);
  });

  test('half done by a crash: branch made, HEAD and index not', async () => {
    const repo = makeRepo();
    writeRunner(repo);
    const commit = (await open(repo).buildStartCommit({ parent: repo.head(), message })) ?? '';
    repo.git('branch', branch, commit);
    await open(repo).finishStart({ branch, commit });
    expect(repo.dirty()).toEqual([]);
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    repo.git('read-tree', 'main');
    repo.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`);
    expect(repo.dirty()).not.toEqual([]);
    await open(repo).finishStart({ branch, commit });
    expect(repo.dirty()).toEqual([]);
  });

  test('a run that went on since is not taken back', async () => {
    const repo = makeRepo();
    const commit = startTestRun(repo);
    repo.git('commit', '--quiet', '--allow-empty', '-m', 'on top');
    const tip = repo.head();
    await open(repo).finishStart({ branch, commit });
    expect(repo.head()).toBe(tip);
  });

  test('a branch with other commits is never moved over them', async () => {
    const repo = makeRepo();
    startTestRun(repo);
    const tip = repo.head();
    repo.git('checkout', '--quiet', 'main');
    writeRunner(repo);
    const commit = (await open(repo).buildStartCommit({ parent: repo.head(), message })) ?? '';
    await expect(open(repo).finishStart({ branch, commit })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      hint: 'git switch runner/r1',
    });
    expect(repo.git('rev-parse', branch)).toBe(tip);
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  test('HEAD moved on after the crash: the branch is made, HEAD and index stay, git switch helps', async () => {
    const repo = makeRepo();
    writeRunner(repo);
    const git = open(repo);
    const commit = (await git.buildStartCommit({ parent: repo.head(), message })) ?? '';
    repo.write('more.txt', 'x');
    repo.git('add', 'more.txt');
    repo.git('commit', '--quiet', '-m', 'more on main');
    await expect(git.finishStart({ branch, commit })).rejects.toMatchObject({
      code: 'GIT_WRONG_BRANCH',
      hint: 'git switch runner/r1',
    });
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
    repo.remove('.runner');
    repo.git('switch', '--quiet', branch);
    await git.finishStart({ branch, commit });
    expect(repo.dirty()).toEqual([]);
  });

  test('a failure leaves no half-made branch behind', async () => {
    for (const lock of ['index.lock', 'HEAD.lock']) {
      const repo = makeRepo();
      writeRunner(repo);
      const git = open(repo);
      const commit = (await git.buildStartCommit({ parent: repo.head(), message })) ?? '';
      repo.write(`.git/${lock}`, '');
      await expect(git.finishStart({ branch, commit })).rejects.toMatchObject({ code: 'GIT_LOCKED' });
      repo.remove(`.git/${lock}`);
      expect(repo.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
      expect(existsSync(join(repo.dir, '.git/index.lock'))).toBe(false);
      expect(repo.dirty()).toEqual(['?? .runner/.gitignore', '?? .runner/GOAL.md']);
    }
  });

  test('a branch named runner stands in the way: git’s own words, nothing moved', async () => {
    const repo = makeRepo();
    repo.git('branch', 'runner');
    writeRunner(repo);
    const git = open(repo);
    const commit = (await git.buildStartCommit({ parent: repo.head(), message })) ?? '';
    await expect(git.finishStart({ branch, commit })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining("the branch 'runner' is in the way of") as unknown,
    });
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });
});

test('ids without a branch: archive refs, and trailers in the history of HEAD', async () => {
  const repo = makeRepo();
  const git = open(repo);
  expect([await git.listArchived(), await git.listRecordedRuns()]).toEqual([[], []]);
  repo.git('update-ref', 'refs/runner/archive/old', 'HEAD');
  repo.git('switch', '-q', '-c', 'side');
  repo.git('commit', '-q', '--allow-empty', '-m', 'x\n\nRunner-Run: elsewhere');
  repo.git('switch', '-q', 'main');
  repo.git('commit', '-q', '--allow-empty', '-m', 'x\n\nRunner-Run: two\nRunner-Mark: a');
  repo.git('commit', '-q', '--allow-empty', '-m', 'x\n\nRunner-Run: one');
  repo.git('commit', '-q', '--allow-empty', '-m', 'x\n\nRunner-Run: two');
  repo.git('commit', '-q', '--allow-empty', '-m', 'no trailer\n\nRunner-Run: quoted\n\nin the text');
  expect(await git.listArchived()).toEqual([{ run_id: 'old', commit: repo.git('rev-parse', 'HEAD~4') }]);
  expect(await git.listRecordedRuns()).toEqual(['one', 'two']);
});

describe('listRunBranches and switchTo', () => {
  function withRemote(): TestRepo {
    const repo = makeRepo();
    const remote = openTestRepo({ ...repo, dir: join(repo.base, 'remote') });
    repo.git('clone', '--quiet', repo.dir, remote.dir);
    setIdentity(remote);
    for (const name of ['runner/b', 'runner/a', 'feature/runner/x', 'runner/a-deep/er'])
      remote.git('branch', name);

    repo.git('remote', 'add', 'origin', remote.dir);
    repo.git('remote', 'add', 'fork', remote.dir);
    repo.git('fetch', '--quiet', '--all');
    return repo;
  }

  test('local and remote ones, sorted; a local one hides its remotes; other names are none', async () => {
    const repo = withRemote();
    repo.git('branch', '--no-track', 'runner/b');
    repo.git('branch', 'runner/c/d');
    repo.git('branch', 'runnerless');
    const commit = repo.head();
    expect(await open(repo).listRunBranches()).toEqual([
      { run_id: 'a', branch: 'runner/a', commit, remote: 'origin' },
      { run_id: 'a', branch: 'runner/a', commit, remote: 'fork' },
      { run_id: 'b', branch: 'runner/b', commit, remote: null },
    ]);
  });

  test('none is an empty list', async () => {
    expect(await open(makeRepo()).listRunBranches()).toEqual([]);
  });

  test('a branch that is only on a remote is checked out and tracks it', async () => {
    const repo = withRemote();
    const git = open(repo);
    const [first] = await git.listRunBranches();
    await git.switchTo(first ?? { run_id: '', branch: '', commit: '', remote: null });
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/a');
    expect(repo.git('rev-parse', '--abbrev-ref', 'HEAD@{upstream}')).toBe('origin/runner/a');
  });

  test('switching runs no hook, and refuses with git’s words when files would be lost', async () => {
    const repo = makeRepo();
    const commit = startTestRun(repo);
    repo.git('checkout', '--quiet', 'main');
    repo.write('.git/hooks/post-checkout', '#!/bin/sh\ntouch ../hook-ran\n');
    chmodSync(join(repo.dir, '.git/hooks/post-checkout'), 0o755);
    const target = { run_id: 'r1', branch, commit, remote: null };
    repo.write('.runner/GOAL.md', 'in the way');
    await expect(open(repo).switchTo(target)).rejects.toMatchObject({
      code: 'GIT_DIRTY',
      message: expect.stringContaining('would be overwritten') as unknown,
      details: expect.arrayContaining(['\t.runner/GOAL.md']) as unknown,
    });
    expect(repo.read('.runner/GOAL.md')).toBe('in the way');
    repo.remove('.runner');
    await open(repo).switchTo(target);
    expect(repo.head()).toBe(commit);
    await open(repo).switchTo(target);
    expect(existsSync(join(repo.base, 'hook-ran'))).toBe(false);
  });
});

test('the newest commit of our own, from which on everything is a person’s: the start, later the last iteration', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  const commit = (subject: string): string => {
    repo.git('commit', '--quiet', '--allow-empty', '-m', subject);
    return repo.head();
  };
  const own = (iter: number, run = 'r1') => open(repo).findOwnCommit({ run_id: run, iter, at: repo.head() });
  const again = commit('chore(loop): start run r1');
  commit('chore(loop): start run r12');
  commit('a person');
  expect(await own(1)).toBe(again);
  expect(await own(2)).toBe(null);
  expect(await own(1, 'r')).toBe(null);
  commit('chore(loop): run r1 iter 1 node root status=retry guard=skipped');
  const last = commit('chore(loop): run r1 iter 2 node a status=done guard=pass');
  commit('chore(loop): start run r1');
  expect(await own(3)).toBe(last);
});
