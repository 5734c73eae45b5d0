import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkIdentity } from '../../../src/adapters/git/identity.ts';
import { moveBranchFile } from '../../../src/adapters/git/ref-file.ts';
import { moveRef } from '../../../src/adapters/git/refs.ts';
import { loadRepo } from '../../../src/adapters/git/repo.ts';
import type { Repo } from '../../../src/adapters/git/repo.ts';
import { loadSetup } from '../../../src/adapters/git/setup.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Ground {
  readonly repo: TestRepo;
  readonly opened: Repo;
  readonly move: Parameters<typeof moveBranchFile>[1];
}

/** A branch that can go on to a second commit. */
async function begin(): Promise<Ground> {
  const repo = makeRepo();
  const from = repo.head();
  const to = repo.git('commit-tree', '-p', from, '-m', 'next', `${from}^{tree}`);
  const opened = await loadRepo({ projectDir: repo.dir, env: repo.env });
  await checkIdentity(opened);
  await loadSetup(opened);
  return { repo, opened, move: { ref: 'refs/heads/main', from, to, reason: 'runner: commit' } };
}

function locksOf(repo: TestRepo): readonly boolean[] {
  return ['HEAD.lock', 'refs/heads/main.lock'].map((name) => existsSync(join(repo.dir, '.git', name)));
}

test('moves the branch as git would: value, both reflogs, no lock left', async () => {
  const { repo, opened, move } = await begin();
  expect(moveBranchFile(opened, move)).toBe(true);
  expect(repo.head()).toBe(move.to);
  for (const log of ['main', 'HEAD']) {
    expect(repo.git('reflog', '-1', '--format=%H %gs <%ge>', log)).toBe(
      `${move.to} runner: commit <test@example.invalid>`,
    );
    expect(repo.git('rev-parse', `${log}@{1}`)).toBe(move.from);
  }
  expect(locksOf(repo)).toEqual([false, false]);
  expect(repo.tryGit('fsck', '--strict')).toBe(0);
});

const others: readonly (readonly [string, (ground: Ground) => void])[] = [
  ['points elsewhere', ({ repo }) => void repo.git('commit', '-q', '--allow-empty', '-m', 'other')],
  ['is packed', ({ repo }) => void repo.git('pack-refs', '--all')],
  ['is not checked out', ({ repo }) => void repo.git('switch', '-q', '-c', 'other')],
  ['is symbolic', ({ repo }) => void repo.git('symbolic-ref', 'refs/heads/main', 'refs/heads/other')],
  ['has no reflog', ({ repo }) => rmSync(join(repo.dir, '.git/logs/refs/heads/main'))],
  ['is locked', ({ repo }) => writeFileSync(join(repo.dir, '.git/refs/heads/main.lock'), '')],
  ['has a locked HEAD', ({ repo }) => writeFileSync(join(repo.dir, '.git/HEAD.lock'), '')],
  ['belongs to an unknown person', ({ opened }) => void (opened.memory.identity = null)],
];

test.each(others)('a branch that %s is left to git, nothing is touched', async (_, change) => {
  const ground = await begin();
  const { repo, opened, move } = ground;
  change(ground);
  const refs = ['.git/HEAD', '.git/logs/HEAD', '.git/packed-refs', '.git/refs/heads/main'];
  const look = (): unknown => [
    ...refs.map((name) => (repo.has(name) ? readFileSync(join(repo.dir, name), 'utf8') : null)),
    locksOf(repo),
  ];
  const before = look();
  expect(moveBranchFile(opened, move)).toBe(false);
  expect(look()).toEqual(before);
});

test('a branch that has moved on is never moved back', async () => {
  const { repo, opened, move } = await begin();
  repo.git('commit', '-q', '--allow-empty', '-m', 'other');
  const head = repo.head();
  await expect(moveRef(opened, move)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(repo.head()).toBe(head);
});
