import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitGlance } from '../../../src/adapters/git/glance.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo, env: Readonly<Record<string, string>> = {}, prefix = '') {
  return gitGlance({ projectDir: join(repo.dir, prefix), env: { ...repo.env, ...env } });
}

test('where the project is, the branch, a text of a commit', async () => {
  const repo = makeRepo();
  repo.write('sub/file', 'committed\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'file');
  const git = open(repo, {}, 'sub/');
  expect(await git.locate()).toEqual({ top: repo.dir, git_dir: join(repo.dir, '.git'), prefix: 'sub/' });
  expect(await git.headBranch()).toBe('main');
  expect(await git.loadText({ commit: 'HEAD', path: 'file' })).toEqual({ kind: 'text', text: 'committed\n' });
  repo.git('switch', '--quiet', '--detach');
  expect(await git.headBranch()).toBeNull();
});

test('outside a repository nothing is staged', async () => {
  const repo = makeRepo();
  const outside = gitGlance({ projectDir: repo.base, env: repo.env });
  await expect(outside.locate()).rejects.toMatchObject({ code: 'GIT_NOT_A_REPO', hint: 'git init' });
  expect(await outside.loadStaged('x')).toEqual({ kind: 'missing' });
  repo.git('config', 'core.worktree', repo.base);
  await expect(open(repo).loadStaged('x')).rejects.toMatchObject({ code: 'GIT_UNSUPPORTED' });
});

describe('loadStaged', () => {
  test('what is staged, not what is on disk or in HEAD', async () => {
    const repo = makeRepo();
    repo.write('sub/file', 'staged\n');
    repo.git('add', '-A');
    const git = open(repo, {}, 'sub/');
    expect(await git.loadStaged('file')).toEqual({ kind: 'text', text: 'staged\n' });
    repo.write('sub/file', 'on disk\n');
    expect(await git.loadStaged('file')).toEqual({ kind: 'text', text: 'staged\n' });
    expect(await git.loadStaged('none')).toEqual({ kind: 'missing' });
  });

  test('the index a hook was given counts, absolute or relative to the top', async () => {
    const repo = makeRepo();
    repo.write('file', 'of the hook\n');
    const index = join(repo.dir, '.git', 'hook-index');
    execFileSync('git', ['add', '-A'], { cwd: repo.dir, env: { ...repo.env, GIT_INDEX_FILE: index } });
    expect(await open(repo).loadStaged('file')).toEqual({ kind: 'missing' });
    for (const given of [index, '.git/hook-index']) {
      const git = open(repo, { GIT_INDEX_FILE: given, GIT_DIR: '.git' });
      expect(await git.loadStaged('file')).toEqual({ kind: 'text', text: 'of the hook\n' });
    }
  });
});
