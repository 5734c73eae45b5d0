import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitCommand } from '../../../src/adapters/git/command.ts';
import type { Git, GitCall } from '../../../src/adapters/git/command.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo, env: Readonly<Record<string, string>> = {}, way: GitCall = {}): Git {
  const git = gitCommand({ cwd: repo.dir, gitDir: join(repo.dir, '.git'), env: { ...repo.env, ...env } });
  return (args, call) => git(args, { ...way, ...call });
}

/** Whoever starts git, the answers are the same. */
const ways = test.each<readonly [string, GitCall]>([
  ['directly', {}],
  ['by a shell', { isRoutine: true }],
]);

/** A program that leaves a trace when it runs. */
function plant(repo: TestRepo, name: string): string {
  const path = join(repo.base, name);
  repo.write(`../${name}`, `#!/bin/sh\ntouch ${join(repo.base, `${name}.ran`)}\ncat\n`);
  chmodSync(path, 0o755);
  return path;
}

test('fsmonitor, hooks, pager and external diff of the repository never run', async () => {
  const repo = makeRepo();
  const evil = plant(repo, 'evil');
  repo.git('config', 'core.fsmonitor', evil);
  repo.git('config', 'core.pager', evil);
  repo.git('config', 'diff.external', evil);
  repo.git('config', 'core.hooksPath', join(repo.base, 'hooks'));
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout']) {
    repo.write(`../hooks/${hook}`, `#!/bin/sh\ntouch ${join(repo.base, 'evil.ran')}\n`);
    chmodSync(join(repo.base, 'hooks', hook), 0o755);
  }
  repo.write('README.md', 'changed\n');
  const git = open(repo);
  await git(['status', '--porcelain']);
  await git(['diff', '--no-ext-diff', 'HEAD']);
  await git(['diff-tree', '-p', 'HEAD', repo.git('mktree')]);
  await git(['add', '-A'], { writes: true });
  await git(['update-ref', 'refs/heads/other', 'HEAD'], { writes: true });
  await git(['checkout', '--quiet', 'other']);
  expect(existsSync(join(repo.base, 'evil.ran'))).toBe(false);
  await git(['checkout', '--quiet', 'main'], { hooks: true });
  expect(existsSync(join(repo.base, 'evil.ran'))).toBe(true);
});

ways(
  'GIT_DIR, GIT_INDEX_FILE and other inherited settings of git do not come through: %s',
  async (_, way) => {
    const repo = makeRepo();
    const git = open(
      repo,
      {
        GIT_DIR: '/nonexistent',
        GIT_INDEX_FILE: '/nonexistent',
        GIT_SSL_CAINFO: 'x',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.bare',
        GIT_CONFIG_VALUE_0: 'true',
        EDITOR: 'vi',
      },
      way,
    );
    expect((await git(['ls-files'])).stdout.toString()).toBe('README.md\n');
  },
);

test('core.worktree leads nowhere else', async () => {
  const repo = makeRepo();
  repo.git('config', 'core.worktree', repo.base);
  expect((await open(repo)(['status', '--porcelain'])).stdout.toString()).toBe('');
});

test('replace refs do not forge what a commit holds', async () => {
  const repo = makeRepo();
  repo.write('other', 'forged\n');
  repo.git('replace', repo.git('rev-parse', 'HEAD:README.md'), repo.git('hash-object', '-w', 'other'));
  expect((await open(repo)(['cat-file', 'blob', 'HEAD:README.md'])).stdout.toString()).toBe('# test\n');
});

ways('a failure carries git’s own words and the command: %s', async (_, way) => {
  const repo = makeRepo();
  await expect(open(repo, {}, way)(['rev-parse', '--verify', 'no such thing'])).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: 'git rev-parse failed: Needed a single revision',
    details: ['fatal: Needed a single revision', "command: git rev-parse --verify 'no such thing'"],
  });
});

ways('an exit code that is an answer is not a failure, a silent failure is one: %s', async (_, way) => {
  const repo = makeRepo();
  repo.write('README.md', 'changed\n');
  const args = ['diff', '--quiet'];
  expect((await open(repo, {}, way)(args, { accept: [1] })).code).toBe(1);
  await expect(open(repo, {}, way)(args)).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

ways(
  'a git that was killed is run again and, when it dies every time, is a failure and no success: %s',
  async (_, way) => {
    const repo = makeRepo();
    const bin = join(repo.base, 'bin');
    const deaths = join(repo.base, 'deaths');
    repo.write(
      '../bin/git',
      `#!/bin/sh\necho x >> ${deaths}\n[ "$(wc -l < ${deaths})" -gt 2 ] && exec ${execFileSync('which', ['git'], { encoding: 'utf8' }).trim()} "$@"\nkill -KILL $$\n`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const git = open(repo, { PATH: `${bin}:${repo.env['PATH'] ?? ''}` }, way);
    expect((await git(['rev-parse', 'HEAD'])).stdout.toString().trim()).toBe(repo.head());
    expect(repo.read('../deaths').length).toBe(6);
    repo.write('../bin/git', '#!/bin/sh\nkill -KILL $$\n');
    await expect(git(['rev-parse', 'HEAD'])).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: 'git rev-parse failed: it was ended by a signal',
    });
  },
);

ways('a call that does not end is stopped and says so: %s', async (_, way) => {
  const repo = makeRepo();
  execFileSync('mkfifo', [join(repo.dir, 'pipe')]);
  await expect(open(repo, {}, way)(['hash-object', 'pipe'], { timeoutMs: 200 })).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: 'git hash-object failed: no end after 0.2 s',
  });
});

ways('a call that was called off before it began starts nothing: %s', async (_, way) => {
  const repo = makeRepo();
  const git = open(repo, {}, way);
  const call = { signal: AbortSignal.abort() };
  await expect(git(['update-ref', 'refs/heads/new', 'HEAD'], call)).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: 'git update-ref failed: it was called off',
  });
  expect(repo.tryGit('rev-parse', '--verify', '--quiet', 'refs/heads/new')).toBe(1);
});

ways('output past the limit stops git and is marked: %s', async (_, way) => {
  const repo = makeRepo();
  repo.write('big', 'x'.repeat(3_000_000));
  const id = repo.git('hash-object', '-w', 'big');
  const answer = await open(repo, {}, way)(['cat-file', 'blob', id], { stdoutBytesMax: 100_000 });
  expect(answer.cut).toBe(true);
  expect(answer.stdout.length).toBeLessThan(1_000_000);
  expect((await open(repo, {}, way)(['cat-file', 'blob', id])).stdout.length).toBe(3_000_000);
});

test('bytes go in and out unchanged', async () => {
  const repo = makeRepo();
  const bytes = Buffer.from([0, 255, 10, 13, 128]);
  const id = (await open(repo)(['hash-object', '-w', '--stdin'], { input: bytes })).stdout.toString().trim();
  expect((await open(repo)(['cat-file', 'blob', id])).stdout).toEqual(bytes);
});

ways(
  'a filter that leaves a child behind does not hold us up for ever: %s',
  async (_, way) => {
    const repo = makeRepo();
    repo.git('config', 'filter.slow.clean', 'sleep 30 >/dev/null & cat');
    repo.write('.gitattributes', '*.txt filter=slow\n');
    repo.write('a.txt', 'text\n');
    await open(repo, {}, way)(['add', '-A']);
    expect(repo.git('ls-files')).toContain('a.txt');
  },
  25_000,
);

ways('git that is not installed is GIT_MISSING with a hint: %s', async (_, way) => {
  const repo = makeRepo();
  await expect(open(repo, { PATH: repo.base }, way)(['status'])).rejects.toMatchObject({
    code: 'GIT_MISSING',
    hint: expect.stringContaining('install git') as unknown,
  });
});

ways('a folder that does not exist is named: %s', async (_, way) => {
  const repo = makeRepo();
  const git = gitCommand({ cwd: join(repo.base, 'nowhere'), gitDir: null, env: repo.env });
  await expect(git(['status'], way)).rejects.toMatchObject({ code: 'GIT_NOT_A_REPO' });
});
