/** Tokens and cost (§9 `limits`): added up from what agents report, kept where they belong, and the end of a run when used up. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claudeDone, claudeResult, codexDone, playFake, sessionCount } from '../support/fake-agent.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  children: [node('a', { max_attempts: 9 }), node('b', { order: 1 }), node('c', { order: 2 })],
});
const started = template(async () => {
  const p = await project({ agent: 'name = "claude"', guard: shellGuard, tree });
  playGuard(p, 'true');
  return p;
});

const spent = { input: 100, output: 20, cost: 0.1 };
const works = claudeDone('date +%N > "work-$RUNNER_ITER.txt"', spent);
const retries = claudeResult({
  answer: { status: 'retry', summary: 'not yet', children: null },
  usage: spent,
});

function spentTrailers(trailers: readonly string[]): readonly string[] {
  return trailers.filter((line) => /Tokens|Cost-USD/u.test(line));
}

test('max_tokens: stops before the iteration after the one that went past it; every place holds the same sums', async () => {
  const p = await started();
  const path = playFake(p, 'claude', { agent: [retries, works, works, works] });
  const env = { ...path, RUNNER_LIMITS_MAX_TOKENS: '360' };
  const ran = await p.runWith(env, 'loop');
  expect(ran, ran.err).toMatchObject({
    code: 1,
    out: [
      'loop: step run=test iter=1 node=a status=retry guard=skipped',
      'loop: step run=test iter=2 node=a status=done guard=pass',
      'loop: step run=test iter=3 node=b status=done guard=pass',
      'loop: status=limit run=test tokens=360 max_tokens=360 steps=3 started_at_iter=1',
    ].join('\n'),
  });
  expect(ran.err).toMatch(
    /\(tokens=360, limits\.max_tokens=360\) \[RUN_TOKEN_LIMIT\]\nhint: set RUNNER_LIMITS_MAX_TOKENS to at least 361, or remove it/u,
  );
  expect(ran.err).toContain(
    '  tokens      360 tokens (the run so far: 360 tokens)\n  cost        $0.3000 (the run so far: $0.3000)\n',
  );
  const first = await recorded(p, 1);
  expect(first.runState.nodes['a']).toMatchObject({ tokens: 120, cost_usd: 0.1 });
  const second = await recorded(p, 2);
  expect(second.meta).toMatchObject({
    tokens: 120,
    cost_usd: 0.1,
    totals: { node: { tokens: 240, cost_usd: 0.2 }, run: { tokens: 240, cost_usd: 0.2 } },
  });
  expect(spentTrailers((await recorded(p, 3)).trailers)).toEqual([
    'Tokens: 120',
    'Node-Tokens: 120',
    'Run-Tokens: 360',
    'Cost-USD: 0.1',
    'Node-Cost-USD: 0.1',
    'Run-Cost-USD: 0.3',
  ]);
  expect(p.runState().totals).toMatchObject({ tokens: 360, cost_usd: 0.3 });

  const again = await p.runWith(env, 'step', '--json');
  expect(again).toMatchObject({ code: 1 });
  expect(JSON.parse(again.out)).toMatchObject({ error: { code: 'RUN_TOKEN_LIMIT' } });
  expect(sessionCount(p, 'claude'), 'nobody was asked').toBe(3);
  const raised = await p.runWith({ ...path, RUNNER_LIMITS_MAX_TOKENS: '361' }, 'loop', '--json');
  expect(raised, raised.err).toMatchObject({ code: 0 });
  expect(raised.err).toContain('  tokens      120 tokens (the run so far: 480 tokens)\n');
  expect(p.runState().totals).toMatchObject({ tokens: 480, cost_usd: 0.4 });
});

test('max_cost_usd likewise; the reviewer’s part counts', async () => {
  const p = await started();
  const review = claudeResult({
    answer: { verdict: 'pass', findings: [] },
    usage: { input: 7, output: 1, cost: 0.02 },
  });
  const path = playFake(p, 'claude', { agent: [works, works], review: [review, review] });
  const env = { ...path, RUNNER_LIMITS_MAX_COST_USD: '0.24', RUNNER_REVIEW_AGENT: 'claude' };
  const ran = await p.runWith(env, 'loop', '--json');
  expect(ran.code, ran.err).toBe(1);
  const lines = ran.out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({ event: 'step', tokens: 128, cost_usd: 0.12 });
  expect(lines[2]).toMatchObject({
    event: 'end',
    status: 'limit',
    cost_usd: 0.24,
    max_cost_usd: 0.24,
    steps: 2,
  });
  expect(lines[3]).toMatchObject({ error: { code: 'RUN_COST_LIMIT' } });
  expect((await recorded(p, 2)).meta).toMatchObject({
    tokens: 128,
    totals: { run: { tokens: 256, cost_usd: 0.24 } },
  });
});

async function killWhen(p: Project, env: Readonly<Record<string, string>>): Promise<void> {
  const running = p.start(['loop'], env);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  await waitUntil('the session to be at work', () => existsSync(join(p.home, 'ready')));
  running.kill('SIGKILL');
  await running;
}

const hangs = 'touch "$HOME/ready"; sleep 300';

test('a kill forgets nothing: neither in the agent, nor in the guard, nor in the review', async () => {
  const at: Readonly<Record<string, (p: Project) => Record<string, string>>> = {
    agent: (p) => playFake(p, 'claude', { agent: [`${works}\n${hangs}`] }),
    guard: (p) => {
      playGuard(p, hangs);
      return playFake(p, 'claude', { agent: [works] });
    },
    review: (p) => ({
      ...playFake(p, 'claude', {
        agent: [works],
        review: [`${claudeResult({ answer: { verdict: 'pass', findings: [] }, usage: spent })}\n${hangs}`],
      }),
      RUNNER_REVIEW_AGENT: 'claude',
    }),
  };
  for (const [phase, play] of Object.entries(at)) {
    const p = await started();
    const env = { ...play(p), RUNNER_LIMITS_MAX_TOKENS: '120' };
    await killWhen(p, env);
    playGuard(p, 'true');
    playFake(p, 'claude', {
      review: [claudeResult({ answer: { verdict: 'pass', findings: [] }, usage: spent })],
    });
    const next = await p.runWith(env, 'loop');
    expect(next.err, phase).toContain(`(stopped at: ${phase})`);
    expect(next.err, phase).toContain('[RUN_TOKEN_LIMIT]');
    expect(next.code, phase).toBe(1);
    const sum = phase === 'review' ? 360 : 120;
    expect(p.runState().totals.tokens, phase).toBe(sum);
    expect((await recorded(p, 1)).meta, phase).toMatchObject({ tokens: sum, recovered: true });
    expect(sessionCount(p, 'claude'), `${phase}: no session after the limit`).toBe(0);
    expect(p.runState().next_iter, phase).toBe(2);
  }
});

/** Numbers of some failpoints from the start of the session to the journal entry that says it has ended. */
async function sessionPoints(p: Project, env: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const file = join(p.home, 'hits');
  expect((await p.runWith({ ...env, RUNNER_FAILPOINT_LOG: file }, 'step')).code).toBe(0);
  const names = readFileSync(file, 'utf8').trimEnd().split('\n');
  const [from = 0, to = 0] = names.flatMap((name, k) =>
    name === 'write:after:journal.jsonl' ? [k + 1] : [],
  );
  const step = process.env['RUNNER_CRASH_ALL'] === undefined ? Math.ceil((to - from) / 3) : 1;
  return Array.from({ length: to - from }, (_, index) => from + index).filter(
    (k) => (to - k) % step === 1 % step,
  );
}

test('a kill at any instant around a session counts it once', { timeout: 3_600_000 }, async () => {
  const reference = await started();
  const points = await sessionPoints(reference, playFake(reference, 'claude', { agent: [works] }));
  expect(points.length).toBeGreaterThan(2);
  for (const k of points) {
    const p = await started();
    const env = { ...playFake(p, 'claude', { agent: [works, works] }), RUNNER_LIMITS_MAX_TOKENS: '120' };
    const killed = await p.runWith({ ...env, RUNNER_FAILPOINT: String(k) }, 'loop');
    expect(killed.signal, `killed at ${k}: ${killed.err}`).toBe('SIGKILL');
    const next = await p.runWith(env, 'loop');
    expect(next.err, `killed at ${k}`).toContain('[RUN_TOKEN_LIMIT]');
    expect(sessionCount(p, 'claude'), `killed at ${k}`).toBe(1);
    expect(p.runState().totals.tokens, `killed at ${k}`).toBe(120);
  }
});

test('what an agent does not report stays unknown: null, and no trailer; a limit on it is a mistake in the config', async () => {
  const p = await started();
  const path = playFake(p, 'claude', { agent: [claudeDone('echo x > x.txt')] });
  expect((await p.runWith(path, 'step')).code).toBe(0);
  const unknown = await recorded(p, 1);
  expect(unknown.meta).toMatchObject({
    tokens: null,
    cost_usd: null,
    totals: { node: { tokens: null, cost_usd: null }, run: { tokens: null, cost_usd: null } },
  });
  expect(spentTrailers(unknown.trailers)).toEqual([]);
  expect(unknown.runState.totals).toMatchObject({ tokens: null, cost_usd: null });

  const codex = {
    ...playFake(p, 'codex', { agent: [codexDone('echo y > y.txt')] }),
    RUNNER_AGENT_NAME: 'codex',
  };
  expect((await p.runWith(codex, 'step')).code).toBe(0);
  const tokens = await recorded(p, 2);
  expect(tokens.meta).toMatchObject({ tokens: 77, cost_usd: null });
  expect(spentTrailers(tokens.trailers)).toEqual(['Tokens: 77', 'Node-Tokens: 77', 'Run-Tokens: 77']);

  const command = { RUNNER_AGENT_NAME: 'command', RUNNER_AGENT_COMMAND: '["true"]' };
  const limited = [
    ['codex', 'max_cost_usd', { RUNNER_LIMITS_MAX_COST_USD: '1' }],
    ['command', 'max_tokens', { RUNNER_LIMITS_MAX_TOKENS: '1', ...command }],
    // A reviewer spends too.
    [
      'codex',
      'max_cost_usd',
      { RUNNER_LIMITS_MAX_COST_USD: '1', RUNNER_AGENT_NAME: 'claude', RUNNER_REVIEW_AGENT: 'codex' },
    ],
  ] as const;
  for (const [name, key, env] of limited) {
    const ran = await p.runWith({ ...codex, ...env }, 'step');
    expect(ran, name).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toMatch(
      new RegExp(`limits.${key} .*: cannot be kept: the agent "${name}" reports no`, 'u'),
    );
    expect(ran.err, name).toContain('[CONFIG_INVALID]');
  }
});
