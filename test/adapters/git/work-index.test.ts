import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitManager } from '../../../src/adapters/git/manager.ts';
import type { GitManager } from '../../../src/ports/git-manager.ts';
import { commitTreeId, makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function begin(): { repo: TestRepo; git: GitManager; baseline: string } {
  const repo = makeRepo();
  repo.write('a.txt', 'a\n');
  repo.write('b/c.txt', 'c\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'files');
  const baseline = startTestRun(repo);
  return { repo, git: gitManager({ projectDir: repo.dir, env: repo.env }), baseline };
}

test('every change outside .runner changes the id, and undoing it brings the id back', async () => {
  const { repo, git, baseline } = begin();
  const before = await git.workTreeId();
  expect(before).toBe(await commitTreeId(repo, baseline));
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
  await commitTreeId(repo, repo.head());
  await git.snapshot();
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(statSync(file)).toMatchObject({ ino, mtimeMs });
});

test('flags of the user’s index hide nothing', async () => {
  const { repo, git, baseline } = begin();
  repo.git('update-index', '--assume-unchanged', 'a.txt');
  repo.git('update-index', '--skip-worktree', 'b/c.txt');
  repo.write('a.txt', 'hidden');
  repo.write('b/c.txt', 'hidden');
  const from = await commitTreeId(repo, baseline);
  expect(await git.changedPaths({ from, to: await git.workTreeId() })).toEqual(['a.txt', 'b/c.txt']);
});

test.each(['the same process', 'a later one'])(
  'a missing, broken, locked or tampered work index is rebuilt by %s',
  async (who) => {
    const { repo, git: first } = begin();
    const wanted = await first.workTreeId();
    const later = { workTreeId: () => gitManager({ projectDir: repo.dir, env: repo.env }).workTreeId() };
    const git = who === 'a later one' ? later : first;
    const index = join(repo.dir, '.git', 'runner', 'index');
    const spoils: readonly (() => void)[] = [
      () => repo.remove('.git/runner/index'),
      () => repo.remove('.git/runner'),
      () => repo.write('.git/runner/index', ''),
      () => repo.write('.git/runner/index', 'garbage'),
      () => repo.write('.git/runner/index', readFileSync(index).subarray(0, 100)),
      () => repo.write('.git/runner/index.lock', ''),
      () => repo.write('.git/runner/index.commit', 'garbage'),
      () => {
        for (const name of ['index', 'index.new', 'index.lock', 'index.commit']) {
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
    expect(readdirSync(join(repo.dir, '.git', 'runner')).toSorted()).toEqual(['index', 'index.commit']);
  },
);

test.each(['the same process', 'a process that finds a dead one’s session'])(
  'an index that hides a change is not believed by %s, whatever the record beside it says',
  async (who) => {
    const { repo, git: first, baseline } = begin();
    await first.workTreeId();
    const index = join(repo.dir, '.git/runner/index');
    const env = { ...repo.env, GIT_INDEX_FILE: index };
    execFileSync('git', ['update-index', '--assume-unchanged', 'a.txt'], { cwd: repo.dir, env });
    const sha256 = createHash('sha256').update(readFileSync(index)).digest('hex');
    repo.write('.git/runner/index.commit', `${baseline}\n${sha256}\n\n`);
    repo.write('a.txt', 'hidden from the index');
    const git = who === 'the same process' ? first : gitManager({ projectDir: repo.dir, env: repo.env });
    const settled = await git.settle({ run_id: 'r1', iter: 1, branch: 'runner/r1', baseline });
    expect(repo.git('show', `${settled.work_tree}:a.txt`)).toBe('hidden from the index');
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
  const git = gitManager({ projectDir: join(repo.dir, 'only/here'), env: repo.env });
  expect(await commitTreeId(repo, baseline, 'only/here/')).toBe(before);
  expect(await git.workTreeId()).toBe(before);
  expect(await commitTreeId(repo, `${baseline}~1`, 'only/here/')).toBe(before);
});

test('a commit that is nothing but .runner, and an empty work tree, have the empty tree', async () => {
  const repo = makeRepo();
  repo.git('rm', '--quiet', 'README.md');
  const baseline = startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: repo.env });
  const empty = repo.git('hash-object', '-t', 'tree', '/dev/null');
  expect(await commitTreeId(repo, baseline)).toBe(empty);
  expect(await git.workTreeId()).toBe(empty);
});

test('without any commit yet the work tree still has an id', async () => {
  const repo = makeRepo();
  repo.git('checkout', '--quiet', '--orphan', 'empty');
  const git = gitManager({ projectDir: repo.dir, env: repo.env });
  expect(repo.git('ls-tree', '--name-only', await git.workTreeId())).toBe('README.md');
});

test('a change right after a look, of the same length and within the same moment, is seen', async () => {
  const repo = makeRepo();
  startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: repo.env });
  const seen = new Set<string>();
  for (let round = 10; round < 40; round += 1) {
    repo.write('work.txt', `round ${round}`);
    seen.add(await git.workTreeId());
  }
  expect(seen.size).toBe(30);
});
