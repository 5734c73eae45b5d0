import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import { loadRepo } from '../../../src/adapters/git/repo.ts';
import { workIndex } from '../../../src/adapters/git/work-index.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import { commitTreeId, makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function begin(): { repo: TestRepo; git: GitPort; baseline: string } {
  const repo = makeRepo();
  repo.write('a.txt', 'a\n');
  repo.write('b/c.txt', 'c\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'files');
  const baseline = startTestRun(repo);
  return { repo, git: gitAdapter({ projectDir: repo.dir, env: repo.env }), baseline };
}

test('every change outside .runner changes the id, and undoing it brings the id back', async () => {
  const { repo, git, baseline } = begin();
  const before = await git.workTreeId();
  expect(before).toBe(commitTreeId(repo, baseline));
  const changes: readonly [() => void, () => void][] = [
    [() => repo.write('new.txt', 'n'), () => repo.remove('new.txt')],
    [() => repo.write('a.txt', 'A\n'), () => repo.write('a.txt', 'a\n')],
    [() => repo.remove('b'), () => repo.write('b/c.txt', 'c\n')],
    [() => chmodSync(join(repo.dir, 'a.txt'), 0o755), () => chmodSync(join(repo.dir, 'a.txt'), 0o644)],
    [() => symlinkSync('a.txt', join(repo.dir, 'link')), () => repo.remove('link')],
  ];
  for (const [change, undo] of changes) {
    change();
    expect(await git.workTreeId()).not.toBe(before);
    undo();
    expect(await git.workTreeId()).toBe(before);
  }
});

test('nothing in .runner, no ignored file and no staging changes the id', async () => {
  const { repo, git } = begin();
  repo.write('.gitignore', '*.log\n');
  const before = await git.workTreeId();
  repo.write('.runner/state/tree.json', 'changed');
  repo.write('x.log', 'x');
  repo.git('add', '-A', '-f');
  expect(await git.workTreeId()).toBe(before);
  repo.remove('.runner');
  expect(await git.workTreeId()).toBe(before);
});

test('the user’s index is not touched', async () => {
  const { repo, git } = begin();
  repo.write('a.txt', 'changed\n');
  const file = join(repo.dir, '.git', 'index');
  const [bytes, { ino, mtimeMs }] = [readFileSync(file), statSync(file)];
  await git.workTreeId();
  commitTreeId(repo, repo.head());
  await git.snapshot();
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file)).toMatchObject({ ino, mtimeMs });
});

test.each(['begins with', 'comes upon'])(
  'flags of the user’s index hide nothing from one that %s it',
  async (how) => {
    const { repo, git, baseline } = begin();
    repo.git('update-index', '--assume-unchanged', 'a.txt');
    repo.git('update-index', '--skip-worktree', 'b/c.txt');
    const { is_index_plain } = await git.snapshot();
    if (how === 'begins with') await git.baselineTreeId({ commit: baseline, is_index_plain });
    repo.write('a.txt', 'hidden');
    repo.write('b/c.txt', 'hidden');
    const from = commitTreeId(repo, baseline);
    expect(await git.changedPaths({ from, to: await git.workTreeId() })).toEqual(['a.txt', 'b/c.txt']);
  },
);

test.each(['the same process', 'a later one'])(
  'a missing, broken, locked or tampered work index is rebuilt by %s',
  async (who) => {
    const { repo, git: first } = begin();
    const wanted = await first.workTreeId();
    const later = { workTreeId: () => gitAdapter({ projectDir: repo.dir, env: repo.env }).workTreeId() };
    const git = who === 'a later one' ? later : first;
    const index = join(repo.dir, '.git', 'runner', 'index');
    const spoils: readonly (() => void)[] = [
      () => repo.remove('.git/runner/index'),
      () => repo.remove('.git/runner'),
      () => repo.write('.git/runner/index', ''),
      () => repo.write('.git/runner/index', 'garbage'),
      () => repo.write('.git/runner/index', readFileSync(index).subarray(0, 100)),
      () => repo.write('.git/runner/index.lock', ''),
      () => {
        for (const name of ['index', 'index.lock']) {
          repo.remove(`.git/runner/${name}`);
          repo.write(`.git/runner/${name}/file`, 'a folder in its place');
        }
      },
      () => {
        const env = { ...repo.env, GIT_INDEX_FILE: index };
        execFileSync('git', ['update-index', '--assume-unchanged', 'a.txt'], { cwd: repo.dir, env });
        repo.write('a.txt', 'hidden from the index');
      },
    ];
    for (const spoil of spoils.slice(0, -1)) {
      spoil();
      expect(await git.workTreeId()).toBe(wanted);
    }
    spoils.at(-1)?.();
    expect(await git.workTreeId()).not.toBe(wanted);
    expect(readdirSync(join(repo.dir, '.git', 'runner')).toSorted()).toEqual(['index']);
  },
);

test.each(['the same process', 'a process that finds a dead one’s session'])(
  'an index that hides a change is not believed by %s',
  async (who) => {
    const { repo, git: first, baseline } = begin();
    await first.baselineTreeId({ commit: repo.head(), is_index_plain: true });
    const env = { ...repo.env, GIT_INDEX_FILE: join(repo.dir, '.git/runner/index') };
    execFileSync('git', ['update-index', '--assume-unchanged', 'a.txt'], { cwd: repo.dir, env });
    repo.write('a.txt', 'hidden from the index');
    const git = who === 'the same process' ? first : gitAdapter({ projectDir: repo.dir, env: repo.env });
    const { work_tree } = await git.settle(settling(baseline));
    expect(repo.git('show', `${work_tree}:a.txt`)).toBe('hidden from the index');
  },
);

test('a file ignored but tracked stays part of the work; one that is only forced into the index does not', async () => {
  const { repo, git } = begin();
  repo.write('.gitignore', '*.log\n');
  repo.write('kept.log', 'tracked\n');
  repo.git('add', '-f', '.gitignore', 'kept.log');
  repo.git('commit', '--quiet', '-m', 'tracked although ignored');
  repo.write('forced.log', 'x');
  repo.git('add', '-f', 'forced.log');
  repo.write('kept.log', 'changed\n');
  const names = repo.git('ls-tree', '-r', '--name-only', await git.workTreeId());
  expect(names.split('\n')).toContain('kept.log');
  expect(names).not.toContain('forced.log');
});

test.each(['the same process', 'a later one'])(
  'an ignored file that the agent has committed is tracked, so it is part of the work: %s',
  async (who) => {
    const { repo, git: first, baseline } = begin();
    await first.baselineTreeId({ commit: baseline, is_index_plain: true });
    repo.write('.gitignore', '*.log\n');
    repo.write('kept.log', 'tracked\n');
    repo.git('add', '-f', '.gitignore', 'kept.log');
    repo.git('commit', '--quiet', '-m', 'agent');
    repo.write('kept.log', 'changed\n');
    const git = who === 'a later one' ? gitAdapter({ projectDir: repo.dir, env: repo.env }) : first;
    const { work_tree } = await git.settle(settling(baseline));
    expect(repo.git('show', `${work_tree}:kept.log`)).toBe('changed');
    expect(await git.workTreeId()).toBe(work_tree);
  },
);

test('core.safecrlf and a pipe in the place of a tracked file do not stop it', async () => {
  const { repo, git } = begin();
  repo.git('config', 'core.autocrlf', 'input');
  repo.git('config', 'core.safecrlf', 'true');
  repo.write('crlf.txt', 'a\r\nb\n');
  repo.remove('a.txt');
  execFileSync('mkfifo', [join(repo.dir, 'a.txt'), join(repo.dir, 'untracked-pipe')]);
  const names = repo.git('ls-tree', '-r', '--name-only', await git.workTreeId()).split('\n');
  expect(names).toEqual(['README.md', 'b/c.txt', 'crlf.txt']);
});

test('the id of a commit leaves out a folder that held only .runner', async () => {
  const repo = makeRepo();
  const before = repo.git('rev-parse', 'HEAD^{tree}');
  const baseline = startTestRun(repo, { prefix: 'only/here/' });
  const git = gitAdapter({ projectDir: join(repo.dir, 'only/here'), env: repo.env });
  expect(commitTreeId(repo, baseline, 'only/here/')).toBe(before);
  expect(await git.workTreeId()).toBe(before);
  expect(commitTreeId(repo, `${baseline}~1`, 'only/here/')).toBe(before);
});

test('a commit that is nothing but .runner, and an empty work tree, have the empty tree', async () => {
  const repo = makeRepo();
  repo.git('rm', '--quiet', 'README.md');
  const baseline = startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const empty = repo.git('hash-object', '-t', 'tree', '/dev/null');
  expect(commitTreeId(repo, baseline)).toBe(empty);
  expect(await git.workTreeId()).toBe(empty);
});

test('without any commit yet the work tree still has an id', async () => {
  const repo = makeRepo();
  repo.git('checkout', '--quiet', '--orphan', 'empty');
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  expect(repo.git('ls-tree', '--name-only', await git.workTreeId())).toBe('README.md');
});

/** As long as before, at once, and as old as before. */
function rewrite(repo: TestRepo, path: string, text: string): void {
  repo.write(path, text);
  utimesSync(join(repo.dir, path), 1_577_836_800, 1_577_836_800);
}

test('a change right after a look, of the same length and with the same time, is seen', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  await git.baselineTreeId({ commit: repo.head(), is_index_plain: true });
  const seen = new Set<string>();
  for (let round = 10; round < 30; round += 1) {
    rewrite(repo, 'work.txt', `round ${round}`);
    seen.add(await git.workTreeId());
  }
  expect(seen.size).toBe(20);
});

test('also where an index is too large for that: there it waits for the next second', async () => {
  const repo = makeRepo();
  mkdirSync(join(repo.dir, 'many'));
  for (let at = 0; at < 4500; at += 1) writeFileSync(join(repo.dir, 'many', `${at}-${'x'.repeat(200)}`), '');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'many files');
  startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const seen = new Set([await git.baselineTreeId({ commit: repo.head(), is_index_plain: true })]);
  expect(statSync(join(repo.dir, '.git/runner/index')).size).toBeGreaterThan(1_000_000);
  for (const round of [1, 2, 3]) {
    rewrite(repo, 'work.txt', `round ${round}`);
    seen.add(await git.workTreeId());
  }
  expect(seen.size).toBe(4);
});

test('a file that git takes too long for is named, with the command that helps', async () => {
  const made = makeRepo();
  made.write('a.txt', 'a\n');
  made.git('add', '-A');
  made.git('commit', '--quiet', '-m', 'files');
  const limits = { timeoutMs: 1500, interrupts: null };
  const repo = await loadRepo({ projectDir: made.dir, env: made.env, limits });
  made.write('sub/small.txt', 'x\n');
  made.write('sub/a huge one.bin', '');
  // A hole: it takes no room, and git reads all of it.
  truncateSync(join(made.dir, 'sub/a huge one.bin'), 64 * 2 ** 30);
  await expect(workIndex(repo).load({ commit: 'HEAD', iter: 1 })).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: expect.stringMatching(
      /no end after 1\.5 s; the largest file is "sub\/a huge one\.bin" \(65536 MiB\)$/u,
    ) as unknown,
    hint: "rm 'sub/a huge one.bin' (or add it to .gitignore), then the same command again",
  });
});
