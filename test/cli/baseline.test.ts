/** The guard's run before a run begins (§11): green, red, not found, switched off; what is recorded, shown and told to sessions. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import type { Project } from '../support/project.ts';
import { answer, child, unstartedProject, write } from '../support/project.ts';
import { isAlive, pidsIn, playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const script = [
  { answer: answer('decomposed', 'two parts', [child('first'), child('second')]) },
  { actions: [write('first.txt', 'x\n')], answer: answer('done') },
  { actions: [write('second.txt', 'x\n')], answer: answer('done') },
];
const unstarted = template(() => unstartedProject({ guard: shellGuard, script }));
const counted = 'echo run >> "$HOME/runs"';

/** How often a guard that counts has run. */
function runsOf(p: Project): number {
  const file = join(p.home, 'runs');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

async function committedBaseline(p: Project): Promise<unknown> {
  const text = await p.git('show', 'HEAD:.runner/state/run_state.json');
  return (JSON.parse(text) as { guard_baseline: unknown }).guard_baseline;
}

test('green: recorded in the bootstrap commit, run on the branch of before, said in one line, nothing in the prompt', async () => {
  const p = await unstarted();
  playGuard(p, 'echo "on $(git branch --show-current) as $RUNNER_RUN_ID/$RUNNER_ITER"');
  const ran = await p.run('start', '--json');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(JSON.parse(ran.out)).toMatchObject({
    run_id: 'test',
    resumed: false,
    guard_baseline: 'green',
    warnings: [],
  });
  expect(ran.err.split('\n')).toEqual([
    expect.stringMatching(/^baseline: sh -c .*, budget 30:00 \(Ctrl-C skips it\)$/u),
    'baseline: green · the guard succeeded',
  ]);
  expect(p.log(0, 'guard.log')).toBe('on main as test/0\n');
  expect(await committedBaseline(p)).toBe('green');
  expect(await p.subjects()).toEqual(['chore(loop): start run test', 'prepare the run', 'first commit']);
  expect(await p.status()).toBe('');
  expect(await p.git('for-each-ref', 'refs/runner/')).toBe('');
  expect(hasOpenJournal(p.top)).toBe(false);
  await p.run('step');
  expect(p.log(1, 'prompt.md')).not.toContain('before this run began');
});

test('red: never fails start; shown, explained, told to sessions until a node has passed', async () => {
  const p = await unstarted();
  playGuard(p, 'echo "1 test failed"; exit 7');
  const ran = await p.run('start');
  expect(ran, ran.err).toMatchObject({ code: 0, out: 'started run=test branch=runner/test' });
  expect(ran.err).toContain('baseline: red · the guard ended with exit code 7\n');
  expect(ran.err).toContain(
    'warning: the guard already fails: the guard ended with exit code 7 (see .runner/iterations/test/0/guard.log). ',
  );
  expect(p.log(0, 'guard.log')).toBe('1 test failed\n');
  expect(await committedBaseline(p)).toBe('red');

  playGuard(p, 'true');
  for (const iter of [1, 2, 3]) {
    const step = await p.run('step');
    expect(step, step.err).toMatchObject({ code: 0 });
    const told = p.log(iter, 'prompt.md').includes('It already failed before this run began.');
    expect(told, `iteration ${iter}`).toBe(iter < 3);
  }
  expect(p.runState().guard_baseline).toBe('red');
});

test('not found: recorded with the command that helps', async () => {
  const p = await unstartedProject({ guard: ['no-such-check'] });
  const ran = await p.run('start', '--json');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain(
    "baseline: not found · the program 'no-such-check' of guard.command was not found\n",
  );
  expect(JSON.parse(ran.out)).toMatchObject({
    guard_baseline: 'not_found',
    warnings: [
      "the program 'no-such-check' of guard.command was not found (set guard.command in .runner/state/config.toml to your own check and commit it); no node can pass before the guard runs",
    ],
  });
  expect(await committedBaseline(p)).toBe('not_found');
});

test('a program that is there but cannot start counts as not found', async () => {
  const p = await unstartedProject({ guard: ['./check'] });
  p.put('check', '#!/no/such/interpreter\n');
  await p.git('add', '--chmod=+x', 'check');
  await p.git('commit', '-q', '-m', 'a check');
  await p.git('checkout', '-q', 'HEAD', '--', 'check');
  const ran = await p.run('start');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain('baseline: not found · the guard could not be started: ');
  expect(p.runState().guard_baseline).toBe('not_found');
});

describe('time', () => {
  test('past the budget of an iteration it is red, says why, and leaves no process', async () => {
    const p = await unstartedProject({ guard: shellGuard, config: 'iteration_timeout_secs = 1' });
    playGuard(p, 'sleep 300 & echo $! > "$HOME/pids"; echo waiting; wait');
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toMatch(/^baseline: red · out of time after \d+ s \(iteration_timeout_secs = 1\)$/mu);
    expect(ran.err).toMatch(
      /^warning: the guard took \d+ s, more than a quarter of iteration_timeout_secs = 1, /mu,
    );
    expect(p.runState().guard_baseline).toBe('red');
    expect(p.log(0, 'guard.log')).toBe('waiting\n');
    expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  });

  test('past guard.timeout_secs it is red', async () => {
    const config = `[guard]\ncommand = ${JSON.stringify(shellGuard)}\ntimeout_secs = 1\n`;
    const p = await unstartedProject({ config });
    playGuard(p, 'sleep 300');
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(ran.err).toContain('baseline: red · the guard took longer than 1 s (guard.timeout_secs)\n');
    expect(ran.err).not.toContain('more than a quarter');
  });
});

describe('when it runs', () => {
  test.each([
    ['--no-baseline', ['--no-baseline'], {}],
    ['RUNNER_GUARD_BASELINE', [], { RUNNER_GUARD_BASELINE: 'false' }],
    ['the flag above the variable', ['--no-baseline'], { RUNNER_GUARD_BASELINE: 'true' }],
  ])('not with %s', async (_name, flags, env) => {
    const p = await unstarted();
    playGuard(p, counted);
    const ran = await p.runWith(env, 'start', ...flags);
    expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
    expect(runsOf(p)).toBe(0);
    expect(p.runState().guard_baseline).toBeNull();
    expect(existsSync(join(p.dir, '.runner/iterations/test'))).toBe(false);
  });

  test('not with guard.baseline = false in the file', async () => {
    const p = await unstartedProject({
      config: `[guard]\ncommand = ${JSON.stringify(shellGuard)}\nbaseline = false\n`,
    });
    playGuard(p, counted);
    expect(await p.run('start')).toMatchObject({ code: 0, err: '' });
    expect(runsOf(p)).toBe(0);
  });

  test('on a resume only while nothing is known and no iteration has run; an old log steps aside', async () => {
    const p = await unstarted();
    playGuard(p, counted);
    expect(await p.run('start', '--no-baseline')).toMatchObject({ code: 0 });
    await p.git('switch', '-q', 'main');
    p.put('.runner/iterations/test/0/guard.log', 'of an earlier start\n');
    const resumed = JSON.parse((await p.run('start', '--json')).out) as Record<string, unknown>;
    expect(resumed).toMatchObject({ resumed: true, guard_baseline: 'green', commit: expect.any(String) });
    expect(runsOf(p)).toBe(1);
    expect(p.read('.runner/iterations/test/0.old-1/guard.log')).toBe('of an earlier start\n');
    expect(await p.git('branch', '--show-current')).toBe('runner/test');
    expect(await p.status()).toBe('');

    const again = JSON.parse((await p.run('start', '--json')).out) as Record<string, unknown>;
    expect(again).toMatchObject({ resumed: true, guard_baseline: 'green', commit: null });
    expect(runsOf(p)).toBe(1);
  });

  test('never after an iteration, and anew for another run', async () => {
    const p = await unstarted();
    playGuard(p, counted);
    expect(await p.run('start', '--no-baseline')).toMatchObject({ code: 0 });
    expect(await p.run('step')).toMatchObject({ code: 0 });
    expect(await p.run('start')).toMatchObject({ code: 0 });
    expect(runsOf(p)).toBe(0);
    expect(p.runState().guard_baseline).toBeNull();
    p.put('.runner/GOAL.md', '---\nid: next\n---\nNext.\n');
    expect(await p.run('start')).toMatchObject({ code: 0 });
    expect(runsOf(p)).toBe(1);
    expect(p.runState()).toMatchObject({ run_id: 'next', guard_baseline: 'green' });
  });
});

test('--quiet shows nothing of it, --verbose every line', async () => {
  const [quiet, verbose] = [await unstarted(), await unstarted()];
  for (const p of [quiet, verbose]) playGuard(p, 'echo "one \u001b[2Jline"; exit 1');
  expect(await quiet.run('start', '--quiet')).toMatchObject({ code: 0, err: '' });
  expect(quiet.runState().guard_baseline).toBe('red');
  const ran = await verbose.run('start', '--verbose');
  expect(ran.err).toContain('\n  guard …\n  | one line\nbaseline: red');
  expect(ran.err).not.toContain('\u001b');
});
