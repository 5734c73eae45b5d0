/** A check in a clone that is cut off (§7, §14): nothing is taken from it, and nothing of it is left. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clonesOf, expectNoTrace, inClone } from '../support/clones.ts';
import { project, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { isAlive, pidsIn, playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { waitUntil } from '../support/scratch.ts';

const waits = inClone('echo $$ >> "$HOME/pids"; touch "$HOME/ready"; sleep 60 & wait');
const shell = { agent: shellAgent, guard: shellGuard };

/** Runs a command until the guard waits in its clone, then sends the signal; what the runner printed and its end. */
async function runUntilClone(p: Project, args: readonly string[], signal: 'SIGKILL' | 'SIGINT') {
  rmSync(join(p.home, 'ready'), { force: true });
  const running = p.start(args);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the guard in its clone', () => existsSync(join(p.home, 'ready')));
  expect(clonesOf(p)).toHaveLength(1);
  running.kill(signal);
  return running;
}

test('killed while the guard runs in the clone: everything again, the old clone and its processes are gone', async () => {
  const p = await project({ ...shell, checkout: 'every' });
  playAgent(p, 'echo x > x.txt; answer done');
  playGuard(p, waits);
  await runUntilClone(p, ['step'], 'SIGKILL');
  const journal = readFileSync(join(p.top, '.git/runner/journal.jsonl'), 'utf8');
  expect(journal).toMatch(/"phase":"guard".*"check":"clone"/);
  expect(clonesOf(p)).toHaveLength(1);
  playGuard(p, 'echo again');
  const ran = await p.run('step');
  expect(ran.err).toContain('recorded as status=done guard=pass');
  expect(p.log(1, 'guard.log')).toBe('again\n');
  expect(p.log(1, 'guard.clone.log')).toBe('again\n');
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  await expectNoTrace(p);
});

test('killed in the clone twice: the result is unknown, one attempt', async () => {
  const p = await project({ ...shell, checkout: 'every' });
  playAgent(p, 'echo x > x.txt; answer done');
  playGuard(p, waits);
  await runUntilClone(p, ['step'], 'SIGKILL');
  await runUntilClone(p, ['step'], 'SIGKILL');
  playAgent(p, 'answer retry');
  await p.run('step');
  expect(p.meta(1)).toMatchObject({ status: 'retry', guard: 'skipped', recovered: true });
  await expectNoTrace(p);
});

test('Ctrl-C in the clone: interrupted, work kept, no clone left', async () => {
  const p = await project({ ...shell, checkout: 'every' });
  playAgent(p, 'echo x > x.txt; answer done');
  playGuard(p, waits);
  expect((await runUntilClone(p, ['step'], 'SIGINT')).exitCode).toBe(130);
  expect(p.meta(1)).toMatchObject({ status: 'retry', guard: 'skipped' });
  expect(await p.git('show', 'HEAD:x.txt')).toBe('x');
  await expectNoTrace(p);
});

test('start, killed in the clone, is undone by the next command', async () => {
  const p = await unstartedProject({ ...shell, checkout: 'auto' });
  playGuard(p, waits);
  await runUntilClone(p, ['start'], 'SIGKILL');
  playGuard(p, 'true');
  const started = await p.run('start');
  expect(started, started.err).toMatchObject({ code: 0 });
  expect(p.runState().guard_checkout?.mode).toBe('final');
  await expectNoTrace(p);
});

test('start, Ctrl-C in the clone: the clone is skipped, nothing is decided', async () => {
  const p = await unstartedProject({ ...shell, checkout: 'auto' });
  playGuard(p, waits);
  expect((await runUntilClone(p, ['start'], 'SIGINT')).exitCode).toBe(0);
  expect(p.runState()).toMatchObject({ guard_baseline: 'green', guard_checkout: null });
  await expectNoTrace(p);
});

test('folders that nobody may write to do not keep a clone', async () => {
  const p = await project({ ...shell, checkout: 'every', files: { '.gitignore': 'locked/\n' } });
  playAgent(p, 'echo x > x.txt; answer done');
  playGuard(p, inClone('mkdir -p locked/deep; touch locked/deep/x; chmod 500 locked/deep locked'));
  expect((await p.run('step')).out).toContain('status=done guard=pass');
  await expectNoTrace(p);
});
