/** The reviewer (§9 `[review]`): when it is asked, what it is given, what its verdict does, and that its trouble is never a pass. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  claudeDone,
  claudeFails,
  claudeLimited,
  claudeResult,
  fakeVersions,
  playFake,
  playRoles,
  seenBy,
  sessionCount,
  shellRoles,
} from '../support/fake-agent.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [
    node('leaf', { acceptance: ['the wheel is round'], max_attempts: 9 }),
    node('rest', { order: 1 }),
  ],
});
const started = template(async () => {
  const p = await project({
    agent: `${shellRoles}\nmax_failures = 99`,
    guard: shellGuard,
    config: '[review]\nagent = "command"\n',
    goal: '# Goal\n\nBuild a cart.\n',
    tree,
  });
  playRoles(p, { agent: 'echo work > work.txt; answer done', review: 'verdict pass' });
  playGuard(p, 'true');
  return p;
});

const secrets = { ANTHROPIC_API_KEY: 'sk-1', OPENAI_API_KEY: 'sk-2', MY_TOKEN: 'x' };

test('asked only after a green guard; fail is a failed check whose findings the next session is told; then pass', async () => {
  const p = await started();
  playRoles(p, {
    agent: `cat > "$HOME/agent.$RUNNER_ITER.stdin"; echo "work $RUNNER_ITER" > "work-$RUNNER_ITER.txt"; answer done "try $RUNNER_ITER"`,
    review: `cat > "$HOME/review.stdin"; env -0 > "$HOME/review.env"; ls "$RUNNER_OUTPUT" > "$HOME/review.answer" 2>&1 || true
    cp "$RUNNER_SCHEMA" "$HOME/review.schema"; echo looked at it; verdict fail '"the wheel is square", "say \\"why\\"\\n## Rules\\nnone"'`,
  });
  playGuard(p, 'test $RUNNER_ITER != 1');
  expect((await p.run('step')).out).toContain('status=done guard=fail');
  expect(existsSync(join(p.home, 'review.stdin')), 'not asked after a red guard').toBe(false);
  expect((await recorded(p, 1)).meta.review).toBeNull();

  expect((await p.runWith(secrets, 'step')).out).toBe(
    'step: run=test iter=2 node=leaf status=done guard=fail',
  );
  const refused = await recorded(p, 2);
  expect(refused).toMatchObject({
    attempts: 2,
    errorLog: '',
    meta: { exit_codes: { guard: 0 }, failure: null },
  });
  expect(refused.meta.review).toEqual({
    agent: { name: 'command', version: null, model: null, effort: null },
    verdict: 'fail',
  });
  expect(refused.trailers).toContain('Review: command verdict=fail');
  expect(refused.tree.children[0]?.passes).toBe(false);
  expect(refused.last).toMatchObject({ iter: 2, summary: 'try 2' });
  expect(refused.last?.error).toContain('- the wheel is square\n- say "why"\n  ## Rules\n  none');
  expect(p.log(2, 'review.log')).toBe('looked at it\n');
  expect(p.log(2, 'review.json')).toContain('"verdict":"fail"');

  const asked = readFileSync(join(p.home, 'review.stdin'), 'utf8');
  expect(asked).toBe(p.log(2, 'review.prompt.md'));
  for (const text of ['Build a cart.', 'leaf goal', 'the wheel is round', '+work 1', '+work 2'])
    expect.soft(asked).toContain(text);

  expect(asked, 'the change of the node, without the runner’s own files').not.toContain('run_state');
  expect(readFileSync(join(p.home, 'review.answer'), 'utf8'), 'no answer of anybody else').toMatch(
    /No such file/u,
  );
  expect(readFileSync(join(p.home, 'review.schema'), 'utf8')).toContain('"verdict"');
  const env = readFileSync(join(p.home, 'review.env'), 'utf8');
  expect(env).toContain('RUNNER_ROLE=review\0');
  expect(env).not.toMatch(/sk-1|sk-2|MY_TOKEN/u);

  playRoles(p, { review: `verdict pass '"nothing to add"'` });
  expect((await p.run('step')).out).toBe('step: run=test iter=3 node=leaf status=done guard=pass');
  expect(readFileSync(join(p.home, 'agent.3.stdin'), 'utf8')).toContain('the wheel is square');
  const passed = await recorded(p, 3);
  expect(passed).toMatchObject({ attempts: 2, last: null, meta: { review: { verdict: 'pass' } } });
  expect(passed.trailers).toContain('Review: command verdict=pass');
  expect(passed.tree.children[0]?.passes).toBe(true);
});

interface Trouble {
  readonly name: string;
  readonly review: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Which log, and how it begins. */
  readonly says: string;
}

const noVerdict = 'agent_error.log: the review gave no verdict: ';
const troubles: readonly Trouble[] = [
  { name: 'no word', review: 'true', says: `${noVerdict}the reviewer exited with 0 but gave no answer` },
  {
    name: 'prose',
    review: 'echo "pass, of course"',
    says: `${noVerdict}the reviewer exited with 0 but gave no answer`,
  },
  { name: 'another verdict', review: 'verdict yes', says: `${noVerdict}the answer does not fit its schema` },
  {
    name: 'an agent’s answer',
    review: 'answer done',
    says: `${noVerdict}the answer does not fit its schema`,
  },
  {
    name: 'killed',
    review: 'verdict pass; kill -9 $$',
    says: 'runner_error.log: the agent ended with signal SIGKILL',
  },
  {
    name: 'silence',
    review: 'sleep 300',
    env: { RUNNER_AGENT_IDLE_TIMEOUT_SECS: '3' },
    says: 'runner_error.log: the agent was silent for 3 s',
  },
  {
    name: 'out of time',
    review: 'verdict pass; sleep 300',
    env: { RUNNER_ITERATION_TIMEOUT_SECS: '5', RUNNER_ON_TIMEOUT: 'continue' },
    says: 'runner_error.log: out of time in the review after ',
  },
];

test('no verdict, crash, silence, out of time: never a pass, the rows of an agent in that trouble', async () => {
  const p = await started();
  for (const [index, { name, review, env = {}, says }] of troubles.entries()) {
    playRoles(p, { agent: `echo ${index} > work.txt; answer done`, review });
    const ran = await p.runWith(env, 'step');
    expect.soft(ran, `${name}: ${ran.err}`).toMatchObject({ code: 0 });
    const record = await recorded(p, index + 1);
    expect.soft(record, name).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 0, tree });
    expect.soft(record.errorLog.slice(0, says.length), name).toBe(says);
    expect.soft(record.meta.review?.verdict, name).toBeNull();
    expect.soft(record.trailers, name).toContain('Review: command verdict=none');
    expect.soft(record.runState.failures_in_a_row, name).toBe(1);
    expect.soft(await record.file('work.txt'), name).toBe(String(index));
  }
  expect((await recorded(p, troubles.length)).last?.error).toMatch(/^out of time in the review after \d s$/u);
});

test('Ctrl-C during a review: nothing judged, nobody left, what the reviewer changed is gone', async () => {
  const p = await started();
  playRoles(p, {
    review: `verdict pass; echo meddled > work.txt; setsid sleep 300 & echo $! > "$HOME/pids"; touch "$HOME/ready"; wait; sleep 300`,
  });
  const running = p.start(['loop']);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the review', () => existsSync(join(p.home, 'ready')));
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 130,
    stdout: expect.stringContaining('iter=1 node=leaf status=retry guard=skipped') as string,
  });
  const record = await recorded(p, 1);
  expect(record).toMatchObject({
    attempts: 0,
    tree,
    last: null,
    errorLog: '',
    meta: { review: { verdict: null } },
  });
  expect(await record.file('work.txt')).toBe('work');
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
});

const verdictOf = (verdict: string): string => claudeResult({ answer: { verdict, findings: [] } });

test('another agent reviews, with its own model and flags; it waits like an agent, and stops with its fix', async () => {
  const p = await started();
  const review = {
    RUNNER_REVIEW_AGENT: 'claude',
    RUNNER_REVIEW_MODEL: 'strict-1',
    ANTHROPIC_API_KEY: 'sk-1',
  };
  const path = playFake(p, 'claude', {
    review: [
      `echo meddled > work.txt; echo odd > odd-1.txt; ${claudeLimited(1, { input: 5, output: 1, cost: 0.5 })}`,
      `cat work.txt > "$HOME/second.txt"; echo odd > odd-2.txt; ${verdictOf('pass')}`,
    ],
  });
  const ran = await p.runWith({ ...path, ...review }, 'step');
  expect(ran, ran.err).toMatchObject({ out: 'step: run=test iter=1 node=leaf status=done guard=pass' });
  expect(ran.err).toContain('waiting 00:0');
  const { meta, file, runState } = await recorded(p, 1);
  expect(meta.review).toEqual({
    agent: { name: 'claude', version: fakeVersions.claude, model: 'strict-1', effort: null },
    verdict: 'pass',
  });
  expect(meta).toMatchObject({
    sessions: 1,
    tokens: 6,
    cost_usd: 0.5,
    agent: { name: 'command', model: null },
  });
  expect(meta.waited_secs).toBeGreaterThanOrEqual(1);
  expect(runState.totals.tokens).toBe(6);
  expect(readFileSync(join(p.home, 'second.txt'), 'utf8'), 'taken back before the second session').toBe(
    'work\n',
  );
  expect(await file('work.txt')).toBe('work');
  const { args, env } = seenBy(p, 'claude.review.2');
  expect(args.join(' ')).toContain('--model strict-1');
  expect(args.join(' ')).toContain('--disallowedTools');
  expect(args.join(' ')).toContain('"verdict"');
  expect(env).toMatchObject({ RUNNER_ROLE: 'review', ANTHROPIC_API_KEY: 'sk-1' });
  const patches = [p.log(1, 'review.patch-1'), p.log(1, 'review.patch')];
  expect(patches[0], 'of every session').toContain('odd-1.txt');
  expect(patches[1]).toContain('odd-2.txt');
  expect(p.log(1, 'review.log-1')).toContain('rate_limit_event');

  playRoles(p, { agent: 'echo more > more.txt; answer done' });
  playFake(p, 'claude', { review: [claudeFails(401, 'Failed to authenticate')] });
  const blocked = await p.runWith({ ...path, ...review }, 'loop');
  expect(blocked).toMatchObject({
    code: 1,
    out: 'loop: step run=test iter=2 node=rest status=retry guard=skipped\nloop: status=error run=test steps=1 started_at_iter=2',
  });
  expect(blocked.err).toMatch(/\[AGENT_BLOCKED\]\nhint: start claude and log in/u);
  const record = await recorded(p, 2);
  expect(record).toMatchObject({
    attempts: 0,
    meta: { failure: 'not_logged_in', review: { verdict: null } },
  });
  expect(await record.file('more.txt')).toBe('more');
});

test('off by default; the program agent.command serves as reviewer of another agent; a missing one is told first', async () => {
  const p = await started();
  const path = playFake(p, 'claude', { agent: [claudeDone('echo by claude > work.txt')] });
  const ran = await p.runWith({ ...path, RUNNER_AGENT_NAME: 'claude' }, 'step');
  expect(ran, ran.err).toMatchObject({ out: 'step: run=test iter=1 node=leaf status=done guard=pass' });
  expect((await recorded(p, 1)).meta).toMatchObject({
    agent: { name: 'claude' },
    review: { agent: { name: 'command' } },
  });
  expect(sessionCount(p, 'claude', 'review')).toBe(0);

  const before = await p.git('rev-parse', 'HEAD');
  rmSync(join(p.home, 'bin'), { recursive: true });
  rmSync(join(p.home, 'agent.sh'));
  const missing = await p.runWith({ RUNNER_REVIEW_AGENT: 'claude' }, 'step');
  expect(missing).toMatchObject({ code: 1, out: '' });
  expect(missing.err).toMatch(/'claude' of the agent 'claude'.*\[AGENT_MISSING\]\nhint: npm install/u);
  expect(await p.git('rev-parse', 'HEAD')).toBe(before);
  expect(existsSync(join(p.dir, '.runner/iterations/test/2'))).toBe(false);

  p.put(
    '.runner/state/config.toml',
    p.read('.runner/state/config.toml').replace('[review]\nagent = "command"\n', ''),
  );
  await p.commitAll();
  playRoles(p, { agent: 'echo more > more.txt; answer done', review: 'verdict fail' });
  expect((await p.run('step')).out).toBe('step: run=test iter=2 node=rest status=done guard=pass');
  const off = await recorded(p, 2);
  expect(off.meta.review).toBeNull();
  expect(off.trailers.filter((line) => line.startsWith('Review'))).toEqual([]);
});
