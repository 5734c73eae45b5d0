/** Objects that no commit holds yet may be cleaned away by anybody: the work is held, or written again, or the commit is not made. */
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort } from '../../../src/ports/git.ts';
import { commitRequest, makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

/** Files that are older than the index: git does not read them again. */
function work(repo: TestRepo, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    repo.write(path, text);
    utimesSync(join(repo.dir, path), 1_700_000_000, 1_700_000_000);
  }
}

async function begin(): Promise<{ readonly repo: TestRepo; readonly git: GitPort; readonly tree: string }> {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  await git.baselineTreeId({ commit: repo.head(), is_index_plain: true });
  work(repo, { 'first.txt': 'first\n', 'folder/new.bin': '\0', 'folder/deep/last.txt': 'last\n' });
  const { work_tree } = await git.settle(settling(baseline));
  return { repo, git, tree: work_tree ?? '' };
}

function prune(repo: TestRepo): void {
  repo.git('gc', '--quiet', '--prune=now');
}

async function expectCommitted(repo: TestRepo, git: GitPort, tree: string): Promise<void> {
  await git.commit(commitRequest(repo.head(), tree));
  expect(repo.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
  expect(repo.git('show', 'HEAD:folder/deep/last.txt')).toBe('last');
  expect(repo.git('for-each-ref', 'refs/runner')).toBe('');
}

test('held work is there after git gc --prune=now, also when it changed on disk; the ref goes with the commit', async () => {
  const { repo, git, tree } = await begin();
  await git.holdWork({ run_id: 'r1', workTree: tree });
  expect(repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/runner')).toBe(
    `refs/runner/hold/r1 ${tree}`,
  );
  prune(repo);
  work(repo, { 'first.txt': 'by the guard\n' });
  const after = await git.workTreeId();
  expect([await git.isWhole(tree), after === tree]).toEqual([true, false]);
  await git.holdWork({ run_id: 'r1', workTree: tree });
  await expectCommitted(repo, git, tree);
  expect(repo.git('show', 'HEAD:first.txt')).toBe('first');
});

test('a crash behind the commit: finishing it lets go, too', async () => {
  const { repo, git, tree } = await begin();
  await git.commit(commitRequest(repo.head(), tree));
  await git.holdWork({ run_id: 'r1', workTree: tree });
  for (let times = 0; times < 2; times += 1) {
    await git.finishCommit({ branch: 'runner/r1', commit: repo.head() });
    expect(repo.git('for-each-ref', 'refs/runner')).toBe('');
  }
});

const objects: readonly (readonly [string, (repo: TestRepo, tree: string) => void])[] = [
  ['all', prune],
  ['the top', (repo, tree) => removeObject(repo, tree)],
  ['a folder', (repo, tree) => removeObject(repo, repo.git('rev-parse', `${tree}:folder`))],
  ['a file', (repo, tree) => removeObject(repo, repo.git('rev-parse', `${tree}:folder/deep/last.txt`))],
];

function removeObject(repo: TestRepo, id: string): void {
  rmSync(join(repo.dir, '.git/objects', id.slice(0, 2), id.slice(2)));
}

test.each(objects)('unheld, %s gone: seen, and written again by the commit', async (_, remove) => {
  const { repo, git, tree } = await begin();
  expect(await git.isWhole(tree)).toBe(true);
  remove(repo, tree);
  expect(await git.isWhole(tree)).toBe(false);
  await expectCommitted(repo, git, tree);
});

test.each(objects)('unheld, %s gone: written again by the next look of a process', async (_, remove) => {
  const { repo, git, tree } = await begin();
  remove(repo, tree);
  repo.write('more.txt', 'more\n');
  const now = await git.workTreeId();
  expect(now).not.toBe(tree);
  await expectCommitted(repo, git, now);
});

test.each(objects)('%s gone, and changed on disk since: nothing is committed', async (_, remove) => {
  const { repo, git, tree } = await begin();
  const before = repo.head();
  remove(repo, tree);
  work(repo, { 'folder/deep/last.txt': 'other\n' });
  await expect(git.commit(commitRequest(before, tree))).rejects.toMatchObject({
    code: 'GIT_FAILED',
    message: expect.stringContaining('git no longer has the work') as unknown,
  });
  expect([repo.head(), repo.tryGit('fsck', '--strict', '--no-dangling')]).toEqual([before, 0]);
});

test('what HEAD holds is not asked for: a partial clone lacks most of it', async () => {
  const { repo, git, tree } = await begin();
  removeObject(repo, repo.git('rev-parse', 'HEAD:README.md'));
  expect(await git.isWhole(tree)).toBe(true);
});
