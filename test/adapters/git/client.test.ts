import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitClient } from '../../../src/adapters/git/client.ts';
import type { GitLimits } from '../../../src/adapters/git/call-limit.ts';
import type { AskCall, Git } from '../../../src/adapters/git/client.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Opening {
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: GitLimits;
}

function open(repo: TestRepo, { env, limits }: Opening = {}): Git {
  const cwd = repo.dir;
  const gitDir = join(cwd, '.git');
  return gitClient({
    cwd,
    gitDir,
    env: { ...repo.env, ...env },
    ...(limits === undefined ? {} : { limits }),
  });
}

type Way = (git: Git, args: readonly string[], call?: AskCall) => Promise<string>;

/** Whichever library starts git, the answers are the same. */
const ways = test.each<readonly [string, Way]>([
  ['ask', (git, args, call) => git.ask(args, call)],
  ['run', async (git, args, call) => (await git.run(args, call)).stdout.toString()],
]);

/** A program in the place of git; `$git` is the real one. */
function fakeGit(repo: TestRepo, script: string): Readonly<Record<string, string>> {
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  repo.write('../bin/git', `#!/bin/sh\ngit=${real}\n${script}\n`);
  chmodSync(join(repo.base, 'bin/git'), 0o755);
  return { PATH: `${join(repo.base, 'bin')}:${repo.env['PATH'] ?? ''}` };
}

test('fsmonitor, hooks, pager and external diff of the repository never run', async () => {
  const repo = makeRepo();
  const evil = join(repo.base, 'evil');
  repo.write('../evil', `#!/bin/sh\ntouch ${evil}.ran\ncat\n`);
  chmodSync(evil, 0o755);
  for (const key of ['core.fsmonitor', 'core.pager', 'diff.external']) repo.git('config', key, evil);
  repo.git('config', 'core.hooksPath', join(repo.base, 'hooks'));
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout']) {
    repo.write(`../hooks/${hook}`, `#!/bin/sh\ntouch ${evil}.ran\n`);
    chmodSync(join(repo.base, 'hooks', hook), 0o755);
  }
  repo.write('README.md', 'changed\n');
  const git = open(repo);
  await git.ask(['status', '--porcelain']);
  await git.ask(['diff', '--no-ext-diff', 'HEAD']);
  await git.ask(['log', '-p', '--no-ext-diff']);
  await git.run(['diff-tree', '-p', 'HEAD', repo.git('mktree')]);
  await git.run(['add', '-A'], { writes: true });
  await git.run(['update-ref', 'refs/heads/other', 'HEAD'], { writes: true });
  await git.run(['checkout', '--quiet', 'other']);
  expect(existsSync(`${evil}.ran`)).toBe(false);
  await git.run(['checkout', '--quiet', 'main'], { hooks: true });
  expect(existsSync(`${evil}.ran`)).toBe(true);
});

ways('only known variables come through, and nothing else stops it: %s', async (_, way) => {
  const repo = makeRepo();
  const env = {
    GIT_DIR: '/nonexistent',
    GIT_INDEX_FILE: '/nonexistent',
    GIT_SSL_CAINFO: 'x',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.bare',
    GIT_CONFIG_VALUE_0: 'true',
    GIT_SSH_COMMAND: 'x',
    GIT_PROXY_COMMAND: 'x',
    EDITOR: 'vi',
    PAGER: 'less',
    LC_ALL: 'de_DE.UTF-8',
    SECRET: 'x',
  };
  expect(await way(open(repo, { env }), ['ls-files'])).toBe('README.md\n');
  const { PATH } = fakeGit(repo, 'env | cut -d= -f1 | grep -vE "^(PWD|OLDPWD|SHLVL|_|GIT_TEST_.*)$" | sort');
  const names = (await way(open(repo, { env: { ...env, PATH: PATH ?? '' } }), ['version'])).split('\n');
  expect(names.filter((name) => name !== '')).toEqual(
    [
      ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM', 'GIT_DIR', 'GIT_EDITOR', 'GIT_GRAFT_FILE'],
      ...['GIT_NO_REPLACE_OBJECTS', 'GIT_OPTIONAL_LOCKS', 'GIT_TERMINAL_PROMPT', 'GIT_WORK_TREE'],
      ...['GIT_TRACE2', 'GIT_TRACE2_EVENT', 'GIT_TRACE2_PERF', 'HOME', 'LC_ALL', 'PATH'],
    ].toSorted(),
  );
});

ways('core.worktree leads nowhere else, and another index is used when it is given: %s', async (_, way) => {
  const repo = makeRepo();
  repo.git('config', 'core.worktree', repo.base);
  const git = open(repo);
  expect(await way(git, ['status', '--porcelain', '--branch'])).toBe('## main\n');
  const index = join(repo.base, 'index');
  await git.run(['read-tree', '--empty'], { index });
  expect(await way(git, ['status', '--porcelain'], { index })).toBe('D  README.md\n?? README.md\n');
});

ways('replace refs do not forge what a commit holds: %s', async (_, way) => {
  const repo = makeRepo();
  repo.write('other', 'forged\n');
  repo.git('replace', repo.git('rev-parse', 'HEAD:README.md'), repo.git('hash-object', '-w', 'other'));
  expect(await way(open(repo), ['cat-file', 'blob', 'HEAD:README.md'])).toBe('# test\n');
});

ways('a failure carries git’s own words and the command: %s', async (_, way) => {
  const repo = makeRepo();
  await expect(way(open(repo), ['rev-parse', '--verify', 'no such thing'])).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: 'git rev-parse failed: Needed a single revision',
    details: ['fatal: Needed a single revision', "command: git rev-parse --verify 'no such thing'"],
  });
});

ways('an exit code that is an answer is not a failure, a silent failure is one: %s', async (_, way) => {
  const repo = makeRepo();
  repo.write('README.md', 'changed\n');
  const git = open(repo);
  expect(await way(git, ['diff', '--exit-code', '--name-only'], { accept: [1] })).toBe('README.md\n');
  expect((await git.run(['diff', '--quiet'], { accept: [1] })).code).toBe(1);
  expect(await way(git, ['rev-parse', '--quiet', '--verify', 'none'], { accept: [1] })).toBe('');
  await expect(way(git, ['diff', '--quiet'])).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: 'git diff failed: no message',
  });
});

ways('a git that was killed is run again; one that dies every time is a failure: %s', async (_, way) => {
  const repo = makeRepo();
  const deaths = join(repo.base, 'deaths');
  const script = `echo x >> ${deaths}\n[ "$(wc -l < ${deaths})" -gt 2 ] && exec $git "$@"`;
  const env = fakeGit(repo, `${script}\necho half an answer\nkill -KILL $$`);
  expect(await way(open(repo, { env }), ['rev-parse', 'HEAD'])).toBe(`${repo.head()}\n`);
  expect(repo.read('../deaths')).toBe('x\n'.repeat(3));
  for (const words of ['', 'echo "warning: odd" >&2\n']) {
    fakeGit(repo, `echo half an answer\n${words}kill -TERM $$`);
    await expect(way(open(repo, { env }), ['rev-parse', 'HEAD'], { accept: [1] })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: 'git rev-parse failed: it was ended by a signal',
    });
  }
});

ways('a call that does not end is stopped and says so: %s', async (_, way) => {
  const repo = makeRepo();
  execFileSync('mkfifo', [join(repo.dir, 'pipe')]);
  const stopped = { code: 'GIT_FAILED', message: 'git hash-object failed: no end after 0.2 s' };
  await expect(way(open(repo), ['hash-object', 'pipe'], { timeoutMs: 200 })).rejects.toMatchObject(stopped);
  const limits = { timeoutMs: 200, interrupts: null };
  await expect(way(open(repo, { limits }), ['hash-object', 'pipe'])).rejects.toMatchObject(stopped);
});

ways('a signal shortens the limit of a call under way, and of every later one: %s', async (_, way) => {
  const repo = makeRepo();
  execFileSync('mkfifo', [join(repo.dir, 'pipe')]);
  const listeners = new Set<() => void>();
  let isInterrupted = false;
  const interrupts = {
    current: () => (isInterrupted ? ('SIGINT' as const) : null),
    subscribe: (listener: (signal: 'SIGINT') => void) => {
      const call = (): void => listener('SIGINT');
      listeners.add(call);
      if (isInterrupted) call();
      return () => listeners.delete(call);
    },
  };
  const limits = { timeoutMs: 3_600_000, interrupts, afterSignalMs: 200 };
  const git = open(repo, { limits });
  const stopped = { message: 'git hash-object failed: no end after 0.2 s' };
  const first = way(git, ['hash-object', 'pipe']);
  await expect.poll(() => listeners.size).toBe(1);
  isInterrupted = true;
  [...listeners].forEach((listener) => listener());
  await expect(first).rejects.toMatchObject(stopped);
  await expect(way(git, ['hash-object', 'pipe'])).rejects.toMatchObject(stopped);
  expect(listeners.size).toBe(0);
});

test('output past the limit stops git and is marked', async () => {
  const repo = makeRepo();
  repo.write('big', 'x'.repeat(3_000_000));
  const id = repo.git('hash-object', '-w', 'big');
  const answer = await open(repo).run(['cat-file', 'blob', id], { stdoutBytesMax: 100_000 });
  expect([answer.cut, answer.stdout.length]).toEqual([true, 100_000]);
  const whole = await open(repo).run(['cat-file', 'blob', id], { stdoutBytesMax: 3_000_000 });
  expect([whole.cut, whole.stdout.length]).toEqual([false, 3_000_000]);
});

test('bytes go in and out unchanged', async () => {
  const repo = makeRepo();
  const input = Buffer.from([0, 255, 10, 13, 128, 10]);
  const id = (await open(repo).run(['hash-object', '-w', '--stdin'], { input })).stdout.toString().trim();
  expect((await open(repo).run(['cat-file', 'blob', id])).stdout).toEqual(input);
});

test('input that git does not read is no failure of ours', async () => {
  const repo = makeRepo();
  const env = fakeGit(repo, 'exec 0<&-; echo answer');
  const { stdout } = await open(repo, { env }).run(['version'], { input: Buffer.alloc(3_000_000) });
  expect(stdout.toString()).toBe('answer\n');
});

ways(
  'a child that git leaves behind and that holds its output is not waited for: %s',
  async (_, way) => {
    const repo = makeRepo();
    repo.git('config', 'filter.slow.clean', 'sleep 60 >&2 & cat');
    repo.write('.gitattributes', '*.txt filter=slow\n');
    repo.write('a.txt', 'text\n');
    await way(open(repo), ['add', '--verbose', '-A']);
    expect(repo.git('ls-files')).toContain('a.txt');
    const env = fakeGit(repo, '(trap "" HUP; sleep 60) &\necho answer');
    expect(await way(open(repo, { env }), ['version'])).toBe('answer\n');
  },
  25_000,
);

ways('git that is not installed is GIT_MISSING with a hint: %s', async (_, way) => {
  const repo = makeRepo();
  await expect(way(open(repo, { env: { PATH: repo.base } }), ['status'])).rejects.toMatchObject({
    code: 'GIT_MISSING',
    hint: expect.stringContaining('install git') as unknown,
  });
});

ways('a folder that does not exist is named: %s', async (_, way) => {
  const repo = makeRepo();
  const git = gitClient({ cwd: join(repo.base, 'nowhere'), gitDir: null, env: repo.env });
  await expect(way(git, ['status'])).rejects.toMatchObject({ code: 'GIT_NOT_A_REPO' });
});

test('without a transport nothing is fetched; a clone from this disk asks for its own', async () => {
  const repo = makeRepo();
  const pins = { config: [], quiet: ['protocol.allow=never'], env: {} };
  const git = gitClient({ cwd: repo.dir, gitDir: null, env: repo.env, pins: () => Promise.resolve(pins) });
  const clone = ['clone', '--quiet', '--shared', repo.dir, join(repo.base, 'copy')];
  await expect(git.run(clone)).rejects.toThrow(/transport 'file' not allowed/);
  expect((await git.run(clone, { transport: 'file' })).code).toBe(0);
});
