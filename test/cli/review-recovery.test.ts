/**
 * The runner dies during a review, and at the failpoints around one (§7): the next loop ends with the same result. `npm test` takes a
 * sample of the failpoints; `RUNNER_CRASH_ALL=1` takes all.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { playRoles, shellRoles } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const meddles = `echo meddled > work.txt; echo odd > odd.txt; echo '- x' >> .runner/state/feedback.md
sed -i 's/root goal/no goal/' .runner/state/tree.json; `;

const started = template(async () => {
  const p = await project({
    agent: shellRoles,
    guard: shellGuard,
    config: '[review]\nagent = "command"\n',
    tree: node('root'),
  });
  playRoles(p, {
    agent: `echo agent >> "$HOME/ran"; echo work > work.txt; echo '- a thought' >> .runner/state/assumptions.md; answer done`,
    review: `echo review >> "$HOME/ran"; cat work.txt >> "$HOME/reviewed"; ${meddles} verdict pass`,
  });
  playGuard(p, 'echo guard >> "$HOME/ran"; test -f work.txt');
  return p;
});

function ran(p: Project): readonly string[] {
  return readFileSync(join(p.home, 'ran'), 'utf8').trimEnd().split('\n');
}

async function killInReview(p: Project, review: string): Promise<void> {
  playRoles(p, {
    review: `echo review >> "$HOME/ran"; echo first words; ${review}
    setsid sleep 300 & echo $! >> "$HOME/pids"; echo $$ >> "$HOME/pids"; touch "$HOME/ready"; wait; sleep 300`,
  });
  const running = p.start(['loop']);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the review', () => existsSync(join(p.home, 'ready')));
  running.kill('SIGKILL');
  await running;
  playRoles(p, { review: 'echo review >> "$HOME/ran"; cat work.txt >> "$HOME/reviewed"; verdict pass' });
}

/** A pass on what the guard saw, whatever happened on the way. */
async function expectPassed(p: Project, label: string): Promise<void> {
  expect(await p.status(), label).toBe('');
  const record = await recorded(p, p.runState().next_iter - 1);
  expect(record, label).toMatchObject({
    status: 'done',
    guard: 'pass',
    meta: { review: { verdict: 'pass' } },
  });
  expect(record.tree, label).toMatchObject({ passes: true, attempts: 0, goal: 'root goal' });
  expect(await record.file('work.txt'), label).toBe('work');
  expect(await record.file('odd.txt'), label).toBeNull();
  expect(await record.file('.runner/state/assumptions.md'), label).toContain('- a thought');
  expect(await record.file('.runner/state/feedback.md'), label).not.toContain('- x');
  expect(new Set(readFileSync(join(p.home, 'reviewed'), 'utf8').trim().split('\n')), label).toEqual(
    new Set(['work']),
  );
}

test('killed during the review: its processes end, its changes are saved and taken back, guard and review run again', async () => {
  const p = await started();
  const goesOn = `setsid sh -c 'while :; do echo meddled > work.txt; sleep 0.02; done' & echo $! >> "$HOME/pids"`;
  await killInReview(p, `${meddles} verdict pass; ${goesOn}`);
  const next = await p.run('loop');
  expect(next, next.err).toMatchObject({
    code: 0,
    out: 'loop: step run=test iter=1 node=root status=done guard=pass\nloop: status=complete run=test steps=1 started_at_iter=1',
  });
  expect(next.err).toContain('recovering iteration 1 of run test (stopped at: review)');
  await expectPassed(p, 'after the kill');
  expect(ran(p)).toEqual(['agent', 'guard', 'review', 'guard', 'review']);
  const pids = pidsIn(join(p.home, 'pids'));
  expect(pids.length).toBe(3);
  expect(pids.filter(isAlive)).toEqual([]);
  const { meta } = await recorded(p, 1);
  expect(meta.recovered).toBe(true);
  expect(meta.notes.join('\n')).toContain('(kept as refs/runner/rescue/test/1)');
  expect(await p.git('show', 'refs/runner/rescue/test/1:work.txt')).toBe('meddled');
  expect(p.log(1, 'review.log-1'), 'what the first said').toBe('first words\n');
});

test('the reviewer had left the branch: the printed command makes it go on', async () => {
  const p = await started();
  await killInReview(p, `git switch -qc elsewhere; git add -A; git commit -qm theirs; ${meddles}`);
  const stopped = await p.run('loop');
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.err).toContain('[GIT_WRONG_BRANCH]');
  const hint = /hint: (.*)/u.exec(stopped.err)?.[1] ?? '';
  await execa('sh', ['-c', hint], { cwd: p.dir, env: p.env, extendEnv: false });
  const next = await p.run('loop');
  expect(next, next.err).toMatchObject({ code: 0 });
  await expectPassed(p, hint);
  expect(ran(p)).toEqual(['agent', 'guard', 'review', 'guard', 'review']);
});

test('the reviewer had committed: it may as well have been a person, so nothing is judged and nothing is lost', async () => {
  const p = await started();
  await killInReview(p, `${meddles} git add -A; git commit -qm 'by the reviewer'`);
  const next = await p.run('step');
  expect(next.err).toContain('the session is not judged');
  const undone = await recorded(p, 1);
  expect(undone).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 0, meta: { recovered: true } });
  expect(undone.tree.goal, 'not the reviewer’s tree').toBe('root goal');
  expect(await p.git('log', '--format=%s', '-3')).toContain('by the reviewer');
  expect(next.out).toBe('step: run=test iter=2 node=root status=done guard=pass');
});

const all = process.env['RUNNER_CRASH_ALL'] !== undefined;
const sampleSize = 4;
const lanes = 2;

/** Numbers of the failpoints from the journal entry that opens the review to the one after it, the commit left to other tests. */
async function reviewPoints(): Promise<readonly number[]> {
  const p = await started();
  const file = join(p.home, 'hits');
  const whole = await p.runWith({ RUNNER_FAILPOINT_LOG: file }, 'loop');
  expect(whole, whole.err).toMatchObject({ code: 0 });
  await expectPassed(p, 'undisturbed');
  const names = readFileSync(file, 'utf8').trimEnd().split('\n');
  const entries = names.flatMap((name, index) => (name === 'write:before:journal.jsonl' ? [index + 1] : []));
  // agent, ended, guard; then review and persisting.
  const [from = 0, to = 0] = entries.slice(3);
  // Before the entry of the review is written a kill counts as one during the guard.
  const points = Array.from({ length: to - from - 1 }, (_, index) => from + 1 + index);
  expect(points.length).toBeGreaterThan(20);
  const step = all ? 1 : Math.ceil(points.length / sampleSize);
  return points.filter((_, index) => index % step === 0);
}

test(
  'killed at any failpoint around the review, also while it is recovered',
  { timeout: 3_600_000 },
  async () => {
    const queue = [...(await reviewPoints())];
    let kills = 0;
    const lane = async (): Promise<void> => {
      for (let k = queue.shift(); k !== undefined; k = queue.shift()) {
        const p = await started();
        const killed = await p.runWith({ RUNNER_FAILPOINT: String(k) }, 'loop');
        if (killed.signal === 'SIGKILL') kills += 1;
        // The second time somewhere in the recovery.
        if (k % 2 === 0) await p.runWith({ RUNNER_FAILPOINT: String(20 + (k % 30)) }, 'loop');
        const next = await p.run('loop');
        expect(next.code, `killed at ${k}: ${next.err}`).toBe(0);
        await expectPassed(p, `killed at ${k}`);
        expect(
          ran(p).filter((who) => who === 'agent'),
          `killed at ${k}: nobody works again`,
        ).toEqual(['agent']);
        expect(await p.subjects(), `killed at ${k}`).toHaveLength(4);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(kills).toBeGreaterThanOrEqual(all ? 20 : sampleSize - 1);
  },
);
