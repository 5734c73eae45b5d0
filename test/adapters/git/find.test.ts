/** Whatever is found without git, git finds the same. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPlainRepo, isPlainConfig } from '../../../src/adapters/git/find.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

/** What git says of a folder. */
function asked(repo: TestRepo, folder: string) {
  const questions = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-prefix'];
  const [top = '', gitDir = '', commonDir = '', prefix = ''] = execFileSync(
    'git',
    ['rev-parse', ...questions],
    {
      cwd: folder,
      env: repo.env,
      encoding: 'utf8',
    },
  ).split('\n');
  return { top, gitDir, commonDir: resolve(realpathSync(folder), commonDir), prefix };
}

describe('found as git finds it', () => {
  test('at the top, below it, through a link, after changes of the settings', () => {
    const repo = makeRepo();
    mkdirSync(join(repo.dir, 'a b/c'), { recursive: true });
    symlinkSync(join(repo.dir, 'a b'), join(repo.base, 'link'));
    repo.git('remote', 'add', 'origin', 'https://example.invalid/x.git');
    repo.git('config', 'branch.worktree-x.remote', 'origin');
    for (const folder of ['.', 'a b', 'a b/c', '../link/c']) {
      const place = join(repo.dir, folder);
      expect(findPlainRepo(place)).toEqual(asked(repo, place));
    }
    repo.git('switch', '--quiet', '--detach');
    expect(findPlainRepo(repo.dir)).toEqual(asked(repo, repo.dir));
  });

  test('before the first commit, in a nested repository, in a linked work tree', () => {
    const repo = makeRepo();
    const nested = join(repo.dir, 'nested');
    execFileSync('git', ['init', '--quiet', nested], { env: repo.env });
    repo.git('worktree', 'add', '--quiet', '../linked');
    mkdirSync(join(repo.base, 'linked/sub'));
    for (const place of [nested, join(repo.base, 'linked'), join(repo.base, 'linked/sub')]) {
      expect(findPlainRepo(place)).toEqual(asked(repo, place));
    }
  });
});

describe('left to git', () => {
  const odd: Readonly<Record<string, (repo: TestRepo) => void>> = {
    'a work tree elsewhere': (repo) => void repo.git('config', 'core.worktree', '/tmp'),
    'a bare repository': (repo) => void repo.git('config', 'core.bare', 'true'),
    'a newer format': (repo) => void repo.git('config', 'core.repositoryFormatVersion', '1'),
    extensions: (repo) => void repo.git('config', 'extensions.worktreeConfig', 'true'),
    'settings from elsewhere': (repo) => void repo.git('config', 'include.path', 'other'),
    'settings that are quoted': (repo) => void repo.git('config', 'some.key', 'a # b'),
    'settings that are broken': (repo) => appendFileSync(join(repo.dir, '.git/config'), 'nonsense here\n'),
    'no settings': (repo) => rmSync(join(repo.dir, '.git/config')),
    'no objects': (repo) => rmSync(join(repo.dir, '.git/objects'), { recursive: true }),
    'no HEAD': (repo) => rmSync(join(repo.dir, '.git/HEAD')),
    'an odd HEAD': (repo) => writeFileSync(join(repo.dir, '.git/HEAD'), 'ref: refs/other/x\n'),
    'a folder that may be a git folder': (repo) => repo.write('HEAD', 'x'),
    'a git folder of another one': (repo) => repo.write('.git/commondir', '../x\n'),
    'a git folder behind a link': (repo) => {
      renameSync(join(repo.dir, '.git'), join(repo.base, 'elsewhere'));
      symlinkSync(join(repo.base, 'elsewhere'), join(repo.dir, '.git'));
    },
    'a git folder named by a file': (repo) => {
      renameSync(join(repo.dir, '.git'), join(repo.base, 'elsewhere'));
      repo.write('.git', 'gitdir: ../elsewhere\n');
    },
  };

  test.each(Object.entries(odd))('%s', (_name, change) => {
    const repo = makeRepo();
    expect(findPlainRepo(repo.dir)).not.toBeNull();
    change(repo);
    expect(findPlainRepo(repo.dir)).toBeNull();
  });

  test('no repository, no folder, a name that git may quote', () => {
    const repo = makeRepo();
    mkdirSync(join(repo.dir, 'ünïcode'));
    for (const folder of ['..', 'none', 'ünïcode']) expect(findPlainRepo(join(repo.dir, folder))).toBeNull();
  });

  test('a work tree whose git folder has moved', () => {
    const repo = makeRepo();
    repo.git('worktree', 'add', '--quiet', '../linked');
    writeFileSync(join(repo.dir, '.git/worktrees/linked/commondir'), '/elsewhere\n');
    expect(findPlainRepo(join(repo.base, 'linked'))).toBeNull();
  });
});

test('settings that lead elsewhere are seen however they are spelled', () => {
  expect(isPlainConfig('[core]\n\tbare = false\n\n# worktree\n[a "b c"]\n\tkey = value with words\n')).toBe(
    true,
  );
  for (const line of [
    '\tWorkTree = /x',
    '\tbare = TRUE',
    '\tbare=false',
    '\tbare',
    '[core] bare = true',
    '[Extensions]',
    '[includeIf "gitdir:x"]',
    '\tkey = a\\',
    '\tkey = "a"',
  ]) {
    expect(isPlainConfig(`[core]\n${line}\n`)).toBe(false);
  }
});
