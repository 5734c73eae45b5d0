/** What is begun ahead, the look at the work and the objects of a commit, saves time; what comes of it is the same. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitManager } from '../../../src/adapters/git/manager.ts';
import { stampFile } from '../../../src/adapters/files/look-at.ts';
import type { GitManager } from '../../../src/ports/git-manager.ts';
import { countingEnv, gitCalls } from '../../support/counting-git.ts';
import { asNobody } from '../../support/nobody.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';
import { waitUntil } from '../../support/scratch.ts';
import { isAlive } from '../../support/shell-agent.ts';

const branch = 'runner/r1';
const treeFile = '.runner/state/tree.json';

interface Run {
  readonly repo: TestRepo;
  readonly git: GitManager;
  /** Our own commit, after which everything is known. */
  readonly baseline: string;
}

async function commit({ repo, git }: Pick<Run, 'repo' | 'git'>, work_tree: string): Promise<string> {
  const rest = { message: 'chore(loop): one\n', run_hooks: false, sign: false, cookie: 'c' };
  const result = await git.commit({ branch, parent: repo.head(), work_tree, ...rest });
  expect(result.kind).toBe('committed');
  return repo.head();
}

async function afterCommit(): Promise<Run> {
  const repo = makeRepo();
  const first = startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: countingEnv(repo) });
  await git.snapshot();
  repo.write('work.txt', 'work\n');
  repo.write(treeFile, '{"iter": 1}\n');
  const { work_tree } = await git.settle({ run_id: 'r1', iter: 1, branch, baseline: first });
  const baseline = await commit({ repo, git }, work_tree ?? '');
  await git.snapshot();
  gitCalls(repo);
  return { repo, git, baseline };
}

function settle({ git, baseline }: Run) {
  return git.settle({ run_id: 'r1', iter: 2, branch, baseline });
}

/** The tree of everything on disk outside `.runner/`, by git alone. */
function treeOnDisk(repo: TestRepo): string {
  const env = { ...repo.env, GIT_INDEX_FILE: join(repo.base, 'other-index') };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repo.dir, env, encoding: 'utf8' }).trim();
  rmSync(env.GIT_INDEX_FILE, { force: true });
  git('add', '--all');
  git('rm', '-r', '--quiet', '--cached', '--ignore-unmatch', '.runner');
  return git('write-tree');
}

test('the look that was begun is the one that counts: git looks once', async () => {
  const run = await afterCommit();
  run.repo.write('new.txt', 'new\n');
  run.git.expectWork();
  await waitUntil('git looks', () => run.repo.has('../calls') && run.repo.read('../calls') !== '');
  expect(await settle(run)).toMatchObject({ notes: [], work_tree: treeOnDisk(run.repo) });
  expect(gitCalls(run.repo)).toBe(1);
  // The one after it was not begun ahead.
  run.repo.write('work.txt', 'more\n');
  expect(await settle(run)).toMatchObject({ notes: [], work_tree: treeOnDisk(run.repo) });
  expect(gitCalls(run.repo)).toBe(1);
});

test('a look that was begun before another session does not count', async () => {
  const run = await afterCommit();
  run.repo.write('first.txt', 'first\n');
  const before = stampFile(indexOf(run.repo));
  run.git.expectWork();
  await waitUntil('git has looked', () => stampFile(indexOf(run.repo)) !== before);
  run.repo.write('second.txt', 'second\n');
  run.git.expectWork();
  const { work_tree } = await settle(run);
  expect(work_tree).toBe(treeOnDisk(run.repo));
});

test('whoever asks for the work otherwise gets what is there now', async () => {
  const run = await afterCommit();
  const lookedAt = async (): Promise<void> => {
    const before = stampFile(indexOf(run.repo));
    run.repo.write('early.txt', before);
    run.git.expectWork();
    await waitUntil('git has looked', () => stampFile(indexOf(run.repo)) !== before);
  };
  await lookedAt();
  run.repo.write('late.txt', 'late\n');
  expect(await run.git.workTreeId()).toBe(treeOnDisk(run.repo));
  await lookedAt();
  run.repo.write('late.txt', 'later\n');
  await commit(run, await run.git.workTreeId());
  expect(run.repo.dirty()).toEqual([]);
});

test.each<readonly [string, (repo: TestRepo) => void]>([
  [
    'commits of the session',
    (repo) => {
      repo.git('add', '-A');
      repo.git('commit', '--quiet', '-m', 'agent');
      repo.write('work.txt', 'and more\n');
    },
  ],
  [
    'a repository inside',
    (repo) => {
      repo.write('inner/file.txt', 'inner\n');
      repo.gitIn('inner', 'init', '--quiet');
    },
  ],
  [
    'a pipe in the place of a file',
    (repo) => {
      repo.remove('work.txt');
      execFileSync('mkfifo', [join(repo.dir, 'work.txt')]);
    },
  ],
  ['a HEAD that git cannot read', (repo) => repo.write('.git/HEAD', 'nothing\n')],
  ['another branch', (repo) => repo.git('switch', '--quiet', '-c', 'other')],
  ['an index of ours that was written to', (repo) => appendFileSync(indexOf(repo), 'x')],
  [
    'an index of ours with a flag that hides a change',
    (repo) => {
      const env = { ...repo.env, GIT_INDEX_FILE: indexOf(repo) };
      const args = ['update-index', '--assume-unchanged', 'work.txt'];
      execFileSync('git', args, { cwd: repo.dir, env });
      repo.write('work.txt', 'hidden\n');
    },
  ],
  ['an index of ours that is gone', (repo) => rmSync(indexOf(repo))],
  ['a lock on it', (repo) => writeFileSync(`${indexOf(repo)}.lock`, '')],
  ['a user’s index that is cut off', (repo) => truncateSync(join(repo.dir, '.git/index'), 20)],
])('%s: the same as without', async (_, meddle) => {
  const run = await afterCommit();
  run.repo.write('new.txt', 'new\n');
  meddle(run.repo);
  run.git.expectWork();
  const { work_tree } = await settle(run);
  expect(work_tree).toBe(treeOnDisk(run.repo));
  await commit(run, work_tree ?? '');
  expect(run.repo.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`);
  expect(run.repo.tryGit('fsck', '--strict', '--full')).toBe(0);
});

function indexOf(repo: TestRepo): string {
  return join(repo.dir, '.git/runner/index');
}

test('a remark of git that changes nothing costs no second look', async () => {
  const repo = makeRepo();
  repo.write('.gitignore', '.runner/\n');
  const first = startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: countingEnv(repo) });
  const settling = { run_id: 'r1', iter: 1, branch, baseline: first };
  await git.settle(settling);
  repo.write('new.txt', 'new\n');
  gitCalls(repo);
  git.expectWork();
  expect(await git.settle(settling)).toMatchObject({ notes: [], work_tree: treeOnDisk(repo) });
  expect(gitCalls(repo)).toBe(1);
});

test('an error of the look is told by whoever wanted it, at once', async () => {
  const run = await afterCommit();
  const { repo } = run;
  const real = repo.read('../counting/git');
  repo.write(
    '../counting/git',
    real.replace('\n', `\ncase "$*" in *" add "*) echo y >> ${repo.base}/adds; exit 3;; esac\n`),
  );
  run.git.expectWork();
  await expect(settle(run)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(repo.read('../adds')).toBe('y\n');
  repo.write('../counting/git', real);
  repo.write('new.txt', 'new\n');
  expect(await settle(run)).toMatchObject({ work_tree: treeOnDisk(repo) });
});

test('a private folder that cannot be looked into stops nobody who only looks ahead', async () => {
  const run = await afterCommit();
  const folder = join(run.repo.dir, '.git/runner');
  chmodSync(folder, 0);
  asNobody(() => run.git.expectWork());
  chmodSync(folder, 0o755);
  expect(await settle(run)).toMatchObject({ work_tree: treeOnDisk(run.repo) });
});

test('a look that nobody will use is stopped, with all it started', async () => {
  const run = await afterCommit();
  const { repo, git } = run;
  const pid = join(repo.base, 'pid');
  repo.git('config', 'filter.slow.clean', `echo $$ > ${pid}; exec sleep 600`);
  repo.write('.gitattributes', '*.slow filter=slow\n');
  repo.write('a.slow', 'a\n');
  await git.stopExpecting();
  git.expectWork();
  await waitUntil('the filter runs', () => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'));
  await git.stopExpecting();
  await waitUntil('it is gone', () => !isAlive(Number(readFileSync(pid, 'utf8'))));
  repo.git('config', 'filter.slow.clean', 'cat');
  expect(await settle(run)).toMatchObject({ work_tree: treeOnDisk(repo) });
});

function countObjects(repo: TestRepo): number {
  const names = readdirSync(join(repo.dir, '.git/objects'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^[0-9a-f]{2}\//.test(name)).length;
}

test('objects of a commit that comes as expected are there before it', async () => {
  const run = await afterCommit();
  const { repo, git, baseline } = run;
  repo.write('deep/new.txt', 'new\n');
  const { work_tree } = await settle(run);
  const text = '{"iter": 2}\n';
  await git.expectCommit({ parent: baseline, files: [{ path: treeFile, text }] });
  const before = countObjects(repo);
  repo.write(treeFile, text);
  await commit(run, work_tree ?? '');
  expect(countObjects(repo) - before).toBe(1);
  expect(repo.git('show', `HEAD:${treeFile}`)).toBe(text.trimEnd());
  expect(repo.dirty()).toEqual([]);
});

test('a commit that comes otherwise holds what is there', async () => {
  const run = await afterCommit();
  const { repo, git, baseline } = run;
  repo.write('new.txt', 'new\n');
  await settle(run);
  const files = [{ path: treeFile, text: '{"iter": "expected"}\n' }];
  await git.expectCommit({ parent: baseline, files });
  repo.write('new.txt', 'changed\n');
  repo.write(treeFile, '{"iter": 2}\n');
  await commit(run, await git.workTreeId());
  expect(repo.git('show', 'HEAD:new.txt')).toBe('changed');
  expect(repo.git('show', `HEAD:${treeFile}`)).toBe('{"iter": 2}');
  expect(repo.dirty()).toEqual([]);
  expect(repo.tryGit('fsck', '--strict', '--full')).toBe(0);
});

test('what is expected on a commit that is not ours, or cannot be written, is nobody’s trouble', async () => {
  const run = await afterCommit();
  const { repo, git, baseline } = run;
  const before = countObjects(repo);
  const files = [{ path: treeFile, text: 'any' }];
  await git.expectCommit({ parent: '0'.repeat(40), files });
  await gitManager({ projectDir: repo.dir, env: repo.env }).expectCommit({ parent: baseline, files });
  expect(countObjects(repo)).toBe(before);
  rmSync(indexOf(repo));
  await git.expectCommit({ parent: baseline, files });
  expect(countObjects(repo)).toBe(before);
});
