import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import type { GitPort, RefTip } from '../../../src/ports/git.ts';
import { commitRequest, commitTreeId, makeRepo, settling, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

interface Session {
  readonly repo: TestRepo;
  readonly git: GitPort;
  readonly baseline: string;
}

const branch = 'runner/r1';

function begin(): Session {
  const repo = makeRepo();
  repo.write('tracked.txt', 'one\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'second commit');
  const baseline = startTestRun(repo);
  return { repo, git: gitAdapter({ projectDir: repo.dir, env: repo.env }), baseline };
}

function commitAll(repo: TestRepo, message: string): string {
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', message);
  return repo.head();
}

async function settle({ git, baseline }: Session, refs_before: readonly RefTip[] | null = null) {
  return git.settle({ ...settling(baseline, 3), refs_before });
}

function rescues(repo: TestRepo): Readonly<Record<string, string>> {
  const lines = repo.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/runner/').split('\n');
  return Object.fromEntries(
    lines.filter((line) => line !== '').map((line) => line.split(' ') as [string, string]),
  );
}

/** HEAD on the branch at the commit, index equal to it, the given work still on disk. */
function expectInOrder({ repo }: Session, head: string): void {
  expect(repo.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`);
  expect(repo.git('rev-parse', `refs/heads/${branch}`)).toBe(head);
  expect(repo.git('diff-index', '--cached', '--name-only', 'HEAD')).toBe('');
  expect(repo.git('status').toLowerCase()).not.toMatch(/rebase|merging|bisect|cherry|revert/);
}

describe('what the agent did with HEAD and the branch', () => {
  test('nothing: nothing is noted, and work stays', async () => {
    const session = begin();
    session.repo.write('work.txt', 'work');
    expect(await settle(session)).toMatchObject({ head: session.baseline, notes: [] });
    expectInOrder(session, session.baseline);
    expect(session.repo.read('work.txt')).toBe('work');
  });

  test('committed on the branch: its commits stay below ours', async () => {
    const session = begin();
    session.repo.write('work.txt', 'work');
    const tip = commitAll(session.repo, 'agent');
    expect(await settle(session)).toMatchObject({ head: tip, notes: [] });
    expectInOrder(session, tip);
    expect(rescues(session.repo)).toEqual({});
  });

  test('committed where every commit has to go: back to exactly the baseline, its tip under rescue', async () => {
    const session = begin();
    const exactly = () => session.git.settle({ ...settling(session.baseline, 0), exact: true });
    expect(await exactly()).toMatchObject({ head: session.baseline, notes: [], work_tree: null });
    session.repo.write('work.txt', 'work');
    const tip = commitAll(session.repo, 'guard');
    const settled = await exactly();
    expect(settled.head).toBe(session.baseline);
    expect(settled.notes).toHaveLength(2);
    expect(rescues(session.repo)).toEqual({ 'refs/runner/rescue/r1/0': tip });
    expectInOrder(session, session.baseline);
    expect(session.repo.read('work.txt')).toBe('work');
    expect(await exactly()).toMatchObject({ head: session.baseline, notes: [], work_tree: null });
  });

  test('amended the baseline: branch back to it, the other tip under rescue, files untouched', async () => {
    const session = begin();
    session.repo.write('tracked.txt', 'amended');
    session.repo.git('commit', '--quiet', '--all', '--amend', '-m', 'amended');
    const tip = session.repo.head();
    const settled = await settle(session);
    expect(settled.head).toBe(session.baseline);
    expect(rescues(session.repo)).toEqual({ 'refs/runner/rescue/r1/3': tip });
    expect(settled.notes).toEqual([
      `the branch runner/r1 had been moved and was set back at ${session.baseline.slice(0, 8)}, where it was before`,
      `the commit ${tip.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
    ]);
    expectInOrder(session, session.baseline);
    expect(session.repo.read('tracked.txt')).toBe('amended');
  });

  test('reset --hard backwards: back to the baseline, nothing to rescue', async () => {
    const session = begin();
    session.repo.git('reset', '--hard', '--quiet', 'HEAD~2');
    const settled = await settle(session);
    expect(settled).toMatchObject({ head: session.baseline });
    expect(settled.notes).toHaveLength(1);
    expect(rescues(session.repo)).toEqual({});
    expectInOrder(session, session.baseline);
    expect(session.repo.has('tracked.txt')).toBe(false);
  });

  test('rebased onto another history', async () => {
    const session = begin();
    session.repo.git('checkout', '--quiet', '-b', 'aside', 'HEAD~2');
    session.repo.write('aside.txt', 'aside');
    commitAll(session.repo, 'aside');
    session.repo.git('checkout', '--quiet', branch);
    session.repo.git('rebase', '--quiet', 'aside');
    const tip = session.repo.head();
    expect((await settle(session)).head).toBe(session.baseline);
    expect(rescues(session.repo)).toEqual({ 'refs/runner/rescue/r1/3': tip });
    expectInOrder(session, session.baseline);
    expect(session.repo.has('aside.txt')).toBe(true);
  });

  test('went to main', async () => {
    const session = begin();
    session.repo.git('checkout', '--quiet', 'main');
    const settled = await settle(session);
    expect(settled.notes).toEqual(['HEAD was on main and was put back on runner/r1']);
    expect(rescues(session.repo)).toEqual({});
    expectInOrder(session, session.baseline);
  });

  test('committed on a branch of its own: that branch stays and its tip is under rescue', async () => {
    const session = begin();
    const before = await session.git.listRefs();
    session.repo.git('checkout', '--quiet', '-b', 'feature');
    session.repo.write('feature.txt', 'x');
    const tip = commitAll(session.repo, 'feature');
    const settled = await settle(session, before);
    expect(settled).toMatchObject({
      head: session.baseline,
      notes: [
        'HEAD was on feature and was put back on runner/r1',
        `the branch feature was made meanwhile and is left as found`,
        `the commit ${tip.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
      ],
    });
    expect(session.repo.git('rev-parse', 'feature')).toBe(tip);
    expectInOrder(session, session.baseline);
    expect(session.repo.has('feature.txt')).toBe(true);
  });

  test('detached HEAD with commits, after commits on the branch', async () => {
    const session = begin();
    session.repo.write('a.txt', 'a');
    const onBranch = commitAll(session.repo, 'on the branch');
    session.repo.git('checkout', '--quiet', '--detach');
    session.repo.write('b.txt', 'b');
    const detached = commitAll(session.repo, 'detached');
    const settled = await settle(session);
    expect(settled.head).toBe(onBranch);
    expect(settled.notes).toContain('HEAD was detached and was put back on runner/r1');
    expect(rescues(session.repo)).toEqual({ 'refs/runner/rescue/r1/3': detached });
    expectInOrder(session, onBranch);
  });

  test('an orphan branch without a commit', async () => {
    const session = begin();
    session.repo.git('checkout', '--quiet', '--orphan', 'fresh');
    expect((await settle(session)).notes).toEqual(['HEAD was on fresh and was put back on runner/r1']);
    expectInOrder(session, session.baseline);
    expect(session.repo.read('tracked.txt')).toBe('one\n');
  });

  test('the branch deleted', async () => {
    const session = begin();
    session.repo.write('x.txt', 'x');
    const tip = commitAll(session.repo, 'lost?');
    session.repo.git('checkout', '--quiet', '--detach');
    session.repo.git('branch', '-D', branch);
    const settled = await settle(session);
    expect(settled.head).toBe(session.baseline);
    expect(settled.notes.join('\n')).toContain('the branch runner/r1 was gone and was made again');
    expect(Object.values(rescues(session.repo))).toEqual([tip]);
    expectInOrder(session, session.baseline);
  });

  test('the branch renamed and gone on with', async () => {
    const session = begin();
    session.repo.git('branch', '-m', 'renamed');
    session.repo.write('x.txt', 'x');
    const tip = commitAll(session.repo, 'on the renamed');
    expect((await settle(session)).head).toBe(session.baseline);
    expect(Object.values(rescues(session.repo))).toEqual([tip]);
    expect(session.repo.git('rev-parse', 'renamed')).toBe(tip);
    expectInOrder(session, session.baseline);
  });

  test('branches that stand in the way of the deleted one are saved and go', async () => {
    for (const name of ['runner', 'runner/r1/deeper']) {
      const session = begin();
      session.repo.write('x.txt', 'x');
      const tip = commitAll(session.repo, 'x');
      session.repo.git('checkout', '--quiet', '--detach');
      session.repo.git('branch', '-D', branch);
      session.repo.git('branch', name);
      expect((await settle(session)).head).toBe(session.baseline);
      expect(Object.values(rescues(session.repo))).toEqual([tip]);
      expectInOrder(session, session.baseline);
    }
  });

  test('the branch made a symbolic name of main: main does not move', async () => {
    const session = begin();
    const main = session.repo.git('rev-parse', 'main');
    session.repo.git('symbolic-ref', `refs/heads/${branch}`, 'refs/heads/main');
    expect((await settle(session)).head).toBe(session.baseline);
    expect(session.repo.git('rev-parse', 'main')).toBe(main);
    expectInOrder(session, session.baseline);
  });

  test('garbage or nothing in the files of the branch and of HEAD', async () => {
    for (const [file, text] of [
      [`refs/heads/${branch}`, 'garbage\n'],
      [`refs/heads/${branch}`, ''],
      ['HEAD', 'garbage\n'],
      ['HEAD', ''],
    ] as const) {
      const session = begin();
      await session.git.locate();
      session.repo.write(`.git/${file}`, text);
      expect((await settle(session)).head).toBe(session.baseline);
      expectInOrder(session, session.baseline);
    }
  });

  test('rescue refs are never overwritten, and a second settle changes nothing', async () => {
    const session = begin();
    const tips: string[] = [];
    for (const text of ['first', 'second']) {
      session.repo.write('tracked.txt', text);
      session.repo.git('commit', '--quiet', '--all', '--amend', '-m', text);
      tips.push(session.repo.head());
      await settle(session);
    }
    const refs = { 'refs/runner/rescue/r1/3': tips[0], 'refs/runner/rescue/r1/3-2': tips[1] };
    expect(rescues(session.repo)).toEqual(refs);
    expect(await settle(session)).toMatchObject({ head: session.baseline, notes: [] });
    session.repo.git('checkout', '--quiet', '--force', '--detach', tips[0] ?? '');
    expect((await settle(session)).notes).toEqual(['HEAD was detached and was put back on runner/r1']);
    expect(rescues(session.repo)).toEqual(refs);
  });

  test('other branches, tags and stashes are left, reported, and what they lost is kept', async () => {
    const session = begin();
    session.repo.git('checkout', '--quiet', '-b', 'precious', 'main');
    session.repo.write('precious.txt', 'p');
    const precious = commitAll(session.repo, 'precious');
    session.repo.git('checkout', '--quiet', branch);
    const before = await session.git.listRefs();
    session.repo.git('branch', '-D', 'precious');
    session.repo.git('tag', 'v1');
    session.repo.write('tracked.txt', 'stashed');
    session.repo.git('stash', '--quiet');
    const settled = await settle(session, before);
    expect(settled.notes).toEqual([
      'the branch precious was removed meanwhile and is left as found',
      `the commit ${precious.slice(0, 8)} was saved as refs/runner/rescue/r1/3`,
      'the stash was made meanwhile and is left as found',
      'the tag v1 was made meanwhile and is left as found',
    ]);
    expect(session.repo.git('stash', 'list')).not.toBe('');
    expectInOrder(session, session.baseline);
  });
});

test('refs that come, move or go are told once, packed ones too', async () => {
  const session = begin();
  const { repo, git } = session;
  let refs = await git.listRefs();
  const told = async (): Promise<readonly string[]> => {
    const settled = await settle(session, refs);
    refs = settled.refs;
    return settled.notes;
  };
  repo.git('branch', 'packed');
  repo.git('pack-refs', '--all');
  expect(await told()).toEqual(['the branch packed was made meanwhile and is left as found']);
  expect(await told()).toEqual([]);
  repo.git('branch', '-D', 'packed');
  repo.git('branch', 'late', 'HEAD~1');
  expect(await told()).toHaveLength(2);
  repo.git('branch', '-f', 'late', 'HEAD');
  expect(await told()).toEqual(['the branch late was moved meanwhile and is left as found']);
  // Nobody knows what was there before.
  repo.git('tag', 'v1');
  expect((await settle(session)).notes).toEqual([]);
});

describe('unfinished operations', () => {
  function conflict(session: Session): void {
    const { repo } = session;
    repo.git('checkout', '--quiet', '-b', 'theirs', 'main');
    repo.write('tracked.txt', 'theirs\n');
    commitAll(repo, 'theirs');
    repo.git('checkout', '--quiet', branch);
    repo.write('tracked.txt', 'ours\n');
    commitAll(repo, 'ours');
  }

  test.each([
    ['merge', ['merge', 'theirs']],
    ['rebase', ['rebase', 'theirs']],
    ['rebase by patches', ['rebase', '--apply', 'theirs']],
    ['cherry-pick', ['cherry-pick', 'theirs']],
    ['revert', ['revert', '--no-edit', 'HEAD~2']],
  ])('%s: ended, its state kept, files as they are', async (_name, args) => {
    const session = begin();
    conflict(session);
    const ours = session.repo.head();
    expect(session.repo.tryGit(...args)).not.toBe(0);
    const onDisk = session.repo.has('tracked.txt') ? session.repo.read('tracked.txt') : null;
    const settled = await settle(session);
    expect(settled.notes.join('\n')).toContain('an unfinished git operation was ended');
    expectInOrder(session, ours);
    expect(session.repo.git('ls-files', '--unmerged')).toBe('');
    expect(session.repo.has('tracked.txt') ? session.repo.read('tracked.txt') : null).toBe(onDisk);
    expect(readdirSync(join(session.repo.dir, '.git/runner/quarantine/3')).length).toBeGreaterThan(0);
    expect(await settle(session)).toMatchObject({ head: ours, notes: [] });
  });

  test('bisect', async () => {
    const session = begin();
    session.repo.git('bisect', 'start');
    session.repo.git('bisect', 'bad');
    session.repo.git('bisect', 'good', 'HEAD~2');
    await settle(session);
    expectInOrder(session, session.baseline);
  });

  test('changes a rebase had put away are under rescue', async () => {
    const session = begin();
    conflict(session);
    session.repo.write('README.md', 'unsaved work\n');
    expect(session.repo.tryGit('rebase', '--autostash', 'theirs')).not.toBe(0);
    expect(session.repo.read('README.md')).toBe('# test\n');
    const settled = await settle(session);
    expect(settled.notes.join('\n')).toContain('changes that git had put away');
    const saved = Object.keys(rescues(session.repo));
    expect(saved.map((ref) => session.repo.git('show', `${ref}:README.md`))).toContain('unsaved work');
  });
});

describe('locks', () => {
  const locks = ['index.lock', 'HEAD.lock', 'packed-refs.lock', `refs/heads/${branch}.lock`];

  test('dead ones are moved into the quarantine and git works again', async () => {
    const session = begin();
    for (const lock of locks) session.repo.write(`.git/${lock}`, 'dead');

    const settled = await settle(session);
    expect(settled.notes).toHaveLength(locks.length);
    expect(settled.notes[0]).toBe(
      'the lock HEAD.lock of a git process that is gone was moved to runner/quarantine/3 in the git folder',
    );
    expect(locks.filter((lock) => session.repo.has(`.git/${lock}`))).toEqual([]);
    expect(readFileSync(join(session.repo.dir, '.git/runner/quarantine/3/index.lock'), 'utf8')).toBe('dead');
    expectInOrder(session, session.baseline);
  });

  test('a link in the place of one, leading nowhere or to a file that is open, stops nothing', async () => {
    const session = begin();
    const targets = ['/nowhere/at/all', '/dev/null', '/nowhere/at/all', '/dev/null'];
    locks.forEach((lock, at) => symlinkSync(targets[at] ?? '', join(session.repo.dir, '.git', lock)));
    const settled = await settle(session);
    expect(settled.notes).toHaveLength(locks.length);
    expectInOrder(session, session.baseline);
  });

  test.runIf(existsSync('/proc/self/fd'))(
    'one that a living process has open stays and is named',
    async () => {
      const session = begin();
      const lock = join(session.repo.dir, '.git', 'index.lock');
      const child = spawn('sleep', ['60'], { stdio: ['ignore', openSync(lock, 'w'), 'ignore'] });
      onTestFinished(() => {
        child.kill('SIGKILL');
      });
      await expect(settle(session)).rejects.toMatchObject({
        code: 'GIT_LOCKED',
        message: expect.stringContaining(`${child.pid}`) as unknown,
        hint: expect.stringMatching(/^let it finish/) as unknown,
      });
      expect(existsSync(lock)).toBe(true);
    },
  );

  test.runIf(existsSync('/proc/self/fd'))(
    'that of a git commit which waits for its editor is closed, but it stays and its owner is named',
    async () => {
      const session = begin();
      const { repo, git } = session;
      const [opened, saved] = [join(repo.base, 'opened'), join(repo.base, 'saved')];
      const editor = `sh -c 'echo by a person > "$1"; touch ${opened}; until [ -e ${saved} ]; do sleep 0.05; done' sh`;
      repo.write('tracked.txt', 'changed by a person\n');
      const env = { ...repo.env, GIT_EDITOR: editor };
      const child = spawn('git', ['commit', '--quiet', '--all'], { cwd: repo.dir, env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      onTestFinished(() => {
        child.kill('SIGKILL');
        repo.write('../saved', '');
      });
      await expect.poll(() => existsSync(opened), { timeout: 20_000 }).toBe(true);
      expect(repo.has('.git/index.lock')).toBe(true);
      const refused = {
        code: 'GIT_LOCKED',
        message: expect.stringMatching(
          new RegExp(`at work here: .*\\b${child.pid}\\b.*index\\.lock$`),
        ) as unknown,
      };
      await expect(settle(session)).rejects.toMatchObject(refused);
      await expect(git.checkLocks(branch)).rejects.toMatchObject(refused);
      const request = commitRequest(session.baseline, commitTreeId(repo, session.baseline));
      await expect(git.commit(request)).rejects.toMatchObject(refused);
      // A mark of a dead process of ours makes no difference.
      repo.write('.git/runner/in-git', '');
      await expect(git.commit(request)).rejects.toMatchObject(refused);
      expect(repo.has('.git/runner/quarantine')).toBe(false);
      repo.write('../saved', '');
      expect(await ended).toBe(0);
      expect(await settle(session)).toMatchObject({ head: repo.head(), notes: [] });
      expect(repo.git('log', '-1', '--format=%s')).toBe('by a person');
    },
  );
});

test('flags that hide files and what was staged are gone from the index', async () => {
  const session = begin();
  session.repo.git('update-index', '--assume-unchanged', 'tracked.txt');
  session.repo.git('update-index', '--skip-worktree', 'README.md');
  session.repo.write('tracked.txt', 'hidden');
  session.repo.write('staged.txt', 's');
  session.repo.git('add', 'staged.txt');
  await settle(session);
  expectInOrder(session, session.baseline);
  expect(session.repo.dirty()).toEqual([' M tracked.txt', '?? staged.txt']);
});

test.each(['settle', 'finishCommit', 'finishStart'] as const)(
  'flags that somebody put into the work index do not reach the user’s index by %s',
  async (how) => {
    const session = begin();
    const { repo, git, baseline } = session;
    await git.baselineTreeId({ commit: baseline, is_index_plain: true });
    const env = { ...repo.env, GIT_INDEX_FILE: join(repo.dir, '.git/runner/index') };
    execFileSync('git', ['update-index', '--assume-unchanged', 'tracked.txt'], { cwd: repo.dir, env });
    repo.git('rm', '--quiet', '--cached', 'README.md');
    const fresh = gitAdapter({ projectDir: repo.dir, env: repo.env });
    if (how === 'settle') await settle(session);
    else await fresh[how]({ branch, commit: baseline });
    repo.write('tracked.txt', 'hidden?');
    expect(repo.dirty()).toEqual([' M tracked.txt']);
  },
);

test('notes hold no absolute path', async () => {
  const session = begin();
  session.repo.git('checkout', '--quiet', '--detach');
  session.repo.write('.git/index.lock', '');
  session.repo.git('init', '--quiet', 'nested');
  for (const note of (await settle(session)).notes) expect(note).not.toContain(session.repo.base);
});
