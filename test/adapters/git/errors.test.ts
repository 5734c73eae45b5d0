import { describe, expect, test } from 'vitest';
import { gitError } from '../../../src/adapters/git/errors.ts';

function error(stderr: string, reason: string | null = null) {
  return gitError({ args: ['commit-tree', '-p', 'a b'], cwd: '/project', stderr, reason });
}

describe('gitError', () => {
  test('git’s own words and the command, hints left out', () => {
    const told = error('warning: odd\nerror: first\nfatal: second\nhint: try harder\n');
    expect(told.code).toBe('GIT_FAILED');
    expect(told.message).toBe('git commit-tree failed: first');
    expect(told.details).toEqual([
      'warning: odd',
      'error: first',
      'fatal: second',
      "command: git commit-tree -p 'a b'",
    ]);
    expect(told.hint).toContain('git -C /project status');
  });

  test('without a word it still says which call failed', () => {
    expect(error('').message).toBe('git commit-tree failed: no message');
    expect(error('', 'no end after 5 s').message).toBe('git commit-tree failed: no end after 5 s');
  });

  test.each([
    'error: gpg failed to sign the data\n',
    'error: Load key "/none": No such file or directory?\n',
    '',
  ])('a commit that cannot be signed leads on: %j', (stderr) => {
    const told = gitError({ args: ['commit-tree', '-S', '-p', 'a'], cwd: '/project', stderr, reason: null });
    expect(told.message).toMatch(/^git could not sign the commit: /);
    expect(told.hint).toMatch(/^RUNNER_GIT_SIGN=false runner loop /);
  });

  test('dubious ownership keeps git’s own command', () => {
    const told = error(
      "fatal: detected dubious ownership in repository at '/x y'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory '/x y'\n",
    );
    expect(told.code).toBe('GIT_FAILED');
    expect(told.hint).toBe("git config --global --add safe.directory '/x y'");
  });

  test.each([
    ['fatal: not a git repository (or any of the parent directories): .git', 'GIT_NOT_A_REPO', 'git init'],
    ['fatal: this operation must be run in a work tree', 'GIT_NOT_A_REPO', 'git init'],
    [
      '*** Please tell me who you are.\n\nfatal: unable to auto-detect',
      'GIT_IDENTITY',
      'git config user.email',
    ],
    ['fatal: empty ident name (for <a@b>) not allowed', 'GIT_IDENTITY', 'git config user.name'],
    [
      "fatal: Unable to create '/a b/.git/index.lock': File exists.",
      'GIT_LOCKED',
      "rm '/a b/.git/index.lock'",
    ],
    [
      'fatal: bad config line 6 in file .git/config',
      'GIT_FAILED',
      'correct that line: "${EDITOR:-vi}" +6 /project/.git/config',
    ],
    [
      "hint: use UTF-16BE\nfatal: BOM is required in 'a b.txt' if encoded as UTF-16",
      'GIT_FAILED',
      "check-attr working-tree-encoding 'a b.txt'",
    ],
    [
      "error: failed to encode 'a.txt' from UTF-16BE to UTF-8",
      'GIT_FAILED',
      'check-attr working-tree-encoding a.txt',
    ],
  ])('%s', (stderr, code, hint) => {
    expect(error(stderr)).toMatchObject({ code, hint: expect.stringContaining(hint) as unknown });
  });

  test('a program that cannot be started is not installed', () => {
    expect(error('', 'Error: spawn git ENOENT').code).toBe('GIT_MISSING');
  });
});
