/** Refs and stash entries that are not the run's: left as found, what they held is kept (§14). */
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort, RefTip } from '../../../src/ports/git.ts';
import { makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Begun {
  readonly repo: TestRepo;
  readonly git: GitPort;
  readonly baseline: string;
  /** A commit that no branch but the given ref holds. */
  readonly lone: string;
}

function begin(): Begun {
  const repo = makeRepo();
  const baseline = startTestRun(repo);
  const lone = repo.git('commit-tree', '-m', 'lone', 'HEAD^{tree}');
  return { repo, git: gitAdapter({ projectDir: repo.dir, env: repo.env }), baseline, lone };
}

async function settle({ git, baseline }: Begun, refs_before: readonly RefTip[]): Promise<readonly string[]> {
  return (await git.settle({ ...settling(baseline, 3), refs_before })).notes;
}

function held(repo: TestRepo): readonly string[] {
  const lines = repo.git('for-each-ref', '--format=%(objectname)', 'refs/runner/rescue/').split('\n');
  return lines.filter((line) => line !== '');
}

const kinds = [
  { kind: 'a tag', ref: 'refs/tags/v1', name: 'the tag v1' },
  { kind: 'a note', ref: 'refs/notes/commits', name: 'the ref refs/notes/commits' },
  { kind: 'a remote branch', ref: 'refs/remotes/origin/main', name: 'the ref refs/remotes/origin/main' },
  { kind: 'a ref of its own kind', ref: 'refs/custom/x', name: 'the ref refs/custom/x' },
  { kind: "another run's branch", ref: 'refs/heads/runner/r2', name: 'the branch runner/r2' },
  { kind: 'an archive', ref: 'refs/runner/archive/r0', name: 'the ref refs/runner/archive/r0' },
];

describe.each(kinds)('$kind', ({ ref, name }) => {
  test.each(['removed', 'moved'])('was %s: what it held is under rescue', async (what) => {
    const begun = begin();
    const { repo, lone, baseline } = begun;
    repo.git('update-ref', ref, lone);
    const before = await begun.git.listRefs();
    repo.git('update-ref', ...(what === 'removed' ? ['-d', ref] : [ref, baseline]));
    const notes = [
      `the commit ${lone.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
      `${name} was ${what} meanwhile and is left as found`,
    ];
    expect([...(await settle(begun, before))].toSorted()).toEqual(notes.toSorted());
    expect(held(repo)).toEqual([lone]);
    expect(repo.tryGit('rev-parse', '--verify', '--quiet', ref)).toBe(what === 'removed' ? 1 : 0);
  });
});

test('the branch of a run that was finished or abandoned meanwhile is kept by its archive', async () => {
  const begun = begin();
  const { repo, lone } = begun;
  repo.git('update-ref', 'refs/heads/runner/r2', lone);
  const before = await begun.git.listRefs();
  repo.git('update-ref', 'refs/runner/archive/r2', lone);
  repo.git('update-ref', '-d', 'refs/heads/runner/r2');
  expect(await settle(begun, before)).toEqual([]);
  expect(held(repo)).toEqual([]);
});

test("remotes and other runs that go forward are nobody's business", async () => {
  const begun = begin();
  const { repo, baseline, lone } = begun;
  for (const ref of ['refs/remotes/origin/main', 'refs/heads/runner/r2'])
    repo.git('update-ref', ref, `${baseline}~1`);
  const before = await begun.git.listRefs();
  for (const ref of ['refs/remotes/origin/main', 'refs/heads/runner/r2'])
    repo.git('update-ref', ref, baseline);
  repo.git('update-ref', 'refs/runner/hold/r2', lone);
  repo.git('update-ref', 'refs/remotes/origin/new', lone);
  expect(await settle(begun, before)).toEqual([]);
});

test('stash entries that are dropped or cleared are under rescue', async () => {
  const begun = begin();
  const { repo } = begun;
  const stash = (text: string): string => {
    repo.write('README.md', text);
    repo.git('stash', '--quiet');
    return repo.git('rev-parse', 'stash@{0}');
  };
  const [first, second, third] = [stash('1'), stash('2'), stash('3')];
  const before = await begun.git.listRefs();
  repo.git('stash', 'drop', '--quiet', 'stash@{1}');
  expect(await settle(begun, before)).toEqual([
    `the commit ${second.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
  ]);
  repo.git('stash', 'clear');
  expect(await settle(begun, before)).toContain('the stash was removed meanwhile and is left as found');
  expect([...held(repo)].toSorted()).toEqual([first, second, third].toSorted());
});

test('a rescue ref that is gone is made again', async () => {
  const begun = begin();
  const { repo, lone } = begun;
  repo.git('update-ref', 'refs/runner/rescue/r0/1', lone);
  const before = await begun.git.listRefs();
  repo.git('update-ref', '-d', 'refs/runner/rescue/r0/1');
  expect(await settle(begun, before)).toEqual([
    'refs/runner/rescue/r0/1 was removed meanwhile and was made again',
  ]);
  expect(repo.git('rev-parse', 'refs/runner/rescue/r0/1')).toBe(lone);
});

test('an annotated tag is kept as the object that it is; what git no longer has is told', async () => {
  const begun = begin();
  const { repo } = begun;
  repo.git('tag', '-a', '-m', 'words', 'v1');
  const tag = repo.git('rev-parse', 'refs/tags/v1');
  const before = await begun.git.listRefs();
  repo.git('tag', '-d', 'v1');
  const gone = { name: 'refs/tags/v2', id: 'f'.repeat(40), symref: '', is_head: false };
  expect(await settle(begun, [...before, gone])).toEqual([
    `the commit ${tag.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
    'the tag v1 was removed meanwhile and is left as found',
    'the tag v2 had ffffffff, which git no longer has',
    'the tag v2 was removed meanwhile and is left as found',
  ]);
  expect(held(repo)).toEqual([tag]);
});

describe('somebody switches to another branch meanwhile', () => {
  test("its files go back to the run's, and what was written since stays", async () => {
    const begun = begin();
    const { repo } = begun;
    repo.git('checkout', '--quiet', 'main');
    for (const name of ['main.txt', 'both.txt', 'edited.txt']) repo.write(name, `main ${name}\n`);
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', 'main goes on');
    const main = repo.head();
    repo.git('checkout', '--quiet', 'runner/r1');
    for (const name of ['run.txt', 'both.txt', 'edited.txt']) repo.write(name, `run ${name}\n`);
    repo.git('add', '-A');
    repo.git('commit', '--quiet', '-m', 'earlier work');
    const baseline = repo.head();
    const before = await begun.git.listRefs();
    repo.write('agent.txt', 'new\n');
    repo.git('checkout', '--quiet', 'main');
    repo.write('edited.txt', 'written after the switch\n');
    const settled = await begun.git.settle({ ...settling(baseline, 3), refs_before: before });
    expect(settled.notes).toContain('HEAD was on main and was put back on runner/r1');
    expect(repo.git('rev-parse', 'main')).toBe(main);
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/runner/r1');
    expect([repo.read('run.txt'), repo.read('both.txt')]).toEqual(['run run.txt\n', 'run both.txt\n']);
    expect(repo.has('main.txt')).toBe(false);
    expect(repo.read('edited.txt')).toBe('written after the switch\n');
    expect(repo.dirty()).toEqual([' M edited.txt', '?? agent.txt']);
  });
});
