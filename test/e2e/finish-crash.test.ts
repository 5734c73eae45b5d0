/**
 * Kills `runner finish` with SIGKILL at its failpoints and shows that the same command goes on: one commit on the target, the archive,
 * no branch, no lost file. `npm test` takes a sample; `RUNNER_CRASH_ALL=1` takes all.
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completeRun, handsOn } from '../support/ending.ts';
import type { Hands } from '../support/ending.ts';
import { hasOpenJournal } from '../support/open-journal.ts';
import { cleanEnv, tempFolder } from '../support/project.ts';
import type { Project } from '../support/project.ts';

const sampleSize = Number(process.env['RUNNER_CRASH_SAMPLE'] ?? 2);
const isAll = process.env['RUNNER_CRASH_ALL'] !== undefined;

/** `linked`: the run is in a work tree of its own, and the target's files must follow. */
async function makeRun(kind: 'in place' | 'linked'): Promise<Project> {
  const p = await completeRun();
  if (kind === 'in place') return p;
  await p.git('switch', '-q', 'main');
  await p.git('worktree', 'add', '-q', join(p.base, 'run'), 'runner/test');
  return p;
}

/** The two links between a repository and its work tree are absolute; `git worktree repair` would lead to the original. */
function copyOf(p: Project): Hands {
  const base = tempFolder('finish-crash');
  cpSync(p.base, base, { recursive: true });
  const hands = handsOn({ env: cleanEnv(join(base, 'home')) }, join(base, 'repo'));
  const own = join(base, 'repo/.git/worktrees/run');
  if (existsSync(own)) {
    writeFileSync(join(base, 'run/.git'), `gitdir: ${own}\n`);
    writeFileSync(join(own, 'gitdir'), `${join(base, 'run/.git')}\n`);
  }
  return hands;
}

async function endOf({ dir, git, read }: Hands) {
  return {
    tree: await git('rev-parse', 'main^{tree}'),
    commits: await git('log', '--format=%s', 'main'),
    refs: await git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/runner', 'refs/heads/runner'),
    branch: await git('branch', '--show-current'),
    status: await git('status', '--porcelain', '--untracked-files=all'),
    record: (JSON.parse(read('.git/runner/runs/test.json')) as { status: string }).status,
    isOpen: hasOpenJournal(dir),
    worktrees: (await git('worktree', 'list', '--porcelain')).match(/^(?:branch|detached).*$/gm),
  };
}

test.each([['in place'], ['linked']] as const)(
  'a crash in finish, %s',
  { timeout: 3_600_000 },
  async (kind) => {
    const made = await makeRun(kind);
    const reference = copyOf(made);
    const hits = join(made.home, 'hits');
    const ran = await reference.runWith({ RUNNER_FAILPOINT_LOG: hits }, 'finish', 'test');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    const expected = await endOf(reference);
    expect(expected).toMatchObject({ branch: 'main', status: '', record: 'finished', isOpen: false });
    const names = readFileSync(hits, 'utf8').trim().split('\n');
    const step = isAll ? 1 : Math.floor(names.length / sampleSize);
    const points = names.map((name, at) => ({ name, k: at + 1 })).filter(({ k }) => k % step === 0);
    let kills = 0;
    for (const { name, k } of points) {
      const label = `${kind}: killed at ${k} (${name})`;
      const hands = copyOf(made);
      const killed = await hands.runWith({ RUNNER_FAILPOINT: String(k) }, 'finish', 'test');
      if (killed.signal === 'SIGKILL') kills += 1;
      const again = await hands.run('finish', 'test');
      expect(again, `${label}: ${again.err}`).toMatchObject({ code: 0 });
      expect(await endOf(hands), label).toEqual(expected);
    }
    expect(kills).toBeGreaterThan(points.length * 0.9);
  },
);
