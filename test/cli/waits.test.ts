/** Waits for an agent that is rate limited, overloaded or offline (§5): how long, what stays, what it costs, and what does not wait. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import {
  claudeDone,
  claudeFails,
  claudeLimited,
  codexFails,
  playFake,
  seenBy,
  sessionCount,
} from '../support/fake-agent.ts';
import { hasOpenJournal } from '../support/open-journal.ts';
import type { Project } from '../support/project.ts';
import { entryFile, project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { waitUntil } from '../support/scratch.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const tree = node('root', { children: [node('leaf', { attempts: 1 }), node('rest', { order: 1 })] });
const started = template(() => project({ agent: 'name = "claude"', tree, config: 'max_iterations = 1' }));

const spent = { input: 100, output: 20, cost: 0.25 };
const editsTree = `sed -i 's/rest title/other title/' .runner/state/tree.json`;

interface RunLine {
  readonly session: number;
  readonly role: string;
  readonly type: string;
}

function eventsOf(p: Project, iter: number): readonly RunLine[] {
  const lines = p.log(iter, 'events.jsonl').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RunLine);
}

test('a stated reset: waits, then a fresh session of the same iteration, on the baseline tree and the work so far', async () => {
  const p = await started();
  const path = playFake(p, 'claude', {
    agent: [
      `echo first > first.txt; ${editsTree}; echo '- a thought' >> .runner/state/assumptions.md
      ${claudeLimited(6, spent)}`,
      claudeDone('cp .runner/state/tree.json "$HOME/tree.second"; echo second > second.txt', spent),
    ],
  });
  // The wait is longer than the whole budget of the iteration.
  const ran = await p.runWith({ ...path, RUNNER_ITERATION_TIMEOUT_SECS: '6' }, 'step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=leaf status=done guard=pass',
  });
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ attempts: 1, errorLog: '' });
  expect(record.runState).toMatchObject({ next_iter: 2, failures_in_a_row: 0, judged_sessions: 1 });
  expect(record.meta).toMatchObject({ sessions: 2, failure: null, tokens: 240, cost_usd: 0.5 });
  expect(record.meta.waited_secs).toBeGreaterThan(0);
  expect(record.runState.totals).toMatchObject({ tokens: 240, cost_usd: 0.5 });

  expect(readFileSync(join(p.home, 'tree.second'), 'utf8')).toBe(p.log(1, 'tree.before.json'));
  expect(record.tree.children[1]?.title).toBe('rest title');
  expect(await record.file('first.txt')).toBe('first');
  expect(await record.file('second.txt')).toBe('second');
  expect(await record.file('.runner/state/assumptions.md')).toContain('- a thought');

  const [first, second] = [seenBy(p, 'claude.agent.1'), seenBy(p, 'claude.agent.2')];
  expect(first.prompt).toBe(p.log(1, 'prompt.md'));
  expect(second).toEqual(first);
  expect(p.log(1, 'executor.log-1')).toContain('rate_limit_event');
  expect(p.log(1, 'executor.log')).not.toContain('rate_limit_event');
  expect(p.log(1, 'tree.agent.json-1'), 'the tree that did not count').toContain('other title');
  expect(eventsOf(p, 1).map(({ session, type }) => `${session} ${type}`)).toEqual([
    '1 error',
    '1 usage',
    '1 error',
    '1 finished',
    '2 usage',
    '2 answer',
    '2 finished',
  ]);

  const waits = ran.err.split('\n').filter((line) => line.includes('waiting'));
  expect(waits, 'told once in a pipe').toEqual([
    expect.stringMatching(/^ {2}waiting 00:0\d \(Ctrl-C stops\): claude: You've hit your session limit/u),
  ]);
  expect(ran.err).not.toContain('\u001b');
});

const waiting = [
  ['rate_limited', 'claude', claudeFails(429, 'API Error: 429 slow down')],
  ['overloaded', 'claude', claudeFails(529, 'API Error: Overloaded')],
  ['network', 'claude', claudeFails(null, 'Unable to connect to API (ConnectionRefused)')],
  ['overloaded', 'codex', codexFails('We’re currently experiencing high demand, which may cause errors.')],
  ['network', 'codex', codexFails('stream disconnected before completion: error sending request')],
] as const;

test('without a reset: waits within agent.max_wait_secs, then stops with what helps', async () => {
  const p = await started();
  const before = await p.git('rev-parse', 'HEAD');
  for (const [kind, name, script] of waiting) {
    const path = playFake(p, name, { agent: [script, script] });
    const env = { ...path, RUNNER_AGENT_NAME: name, RUNNER_AGENT_MAX_WAIT_SECS: '1' };
    const ran = await p.runWith(env, 'loop', '--json');
    expect.soft(ran.code, `${name} ${kind}: ${ran.err}`).toBe(1);
    expect.soft(ran.err).toMatch(/ \(waited \d+ s of agent\.max_wait_secs\) \[AGENT_BLOCKED\]\nhint: /u);
    expect.soft(ran.err).toMatch(/hint: .*agent\.max_wait_secs/u);
    expect.soft(ran.err, 'no longer than allowed').toMatch(/ waiting 00:0[01] /u);
    expect.soft(sessionCount(p, name), `${name} ${kind}`).toBe(2);
    expect.soft(ran.out).toContain('"steps":0');
  }
  expect(await p.git('rev-parse', 'HEAD'), 'nothing changed: no iteration').toBe(before);
  expect(p.runState()).toMatchObject({ next_iter: 1, failures_in_a_row: 0 });
  expect(await p.status()).toBe('');

  const script = claudeFails(529, 'API Error: Overloaded');
  const path = playFake(p, 'claude', { agent: [script, `echo half > half.txt; ${editsTree}; ${script}`] });
  const touched = await p.runWith({ ...path, RUNNER_AGENT_MAX_WAIT_SECS: '1' }, 'loop');
  expect(touched, touched.err).toMatchObject({
    code: 1,
    out: 'loop: step run=test iter=1 node=leaf status=retry guard=skipped\nloop: status=error run=test steps=1 started_at_iter=1',
  });
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ attempts: 1, last: null, tree });
  expect(record.errorLog).toMatch(/^runner_error\.log: claude: API Error: Overloaded \(waited \d+ s/u);
  expect(record.meta).toMatchObject({ failure: 'overloaded', sessions: 2, tokens: 0 });
  expect(record.runState).toMatchObject({ failures_in_a_row: 0, judged_sessions: 0 });
  expect(await record.file('half.txt')).toBe('half');
});

test('the waits of an iteration are one budget: what the agent waited is not the reviewer’s any more', async () => {
  const p = await started();
  const overloaded = claudeFails(529, 'API Error: Overloaded');
  const path = playFake(p, 'claude', {
    agent: [overloaded, claudeDone('echo x > x.txt')],
    review: [overloaded, overloaded],
  });
  const env = { ...path, RUNNER_AGENT_MAX_WAIT_SECS: '1', RUNNER_REVIEW_AGENT: 'claude' };
  const ran = await p.runWith(env, 'step');
  expect(ran, ran.err).toMatchObject({
    code: 1,
    out: 'step: run=test iter=1 node=leaf status=retry guard=skipped',
  });
  expect(ran.err).toMatch(/Overloaded \(waited \d+ s of agent\.max_wait_secs\) \[AGENT_BLOCKED\]/u);
  expect(sessionCount(p, 'claude', 'review')).toBe(1);
  expect((await recorded(p, 1)).meta).toMatchObject({ sessions: 2, failure: 'overloaded' });
});

interface Stopped {
  readonly name: string;
  readonly script: string;
  readonly secs?: string;
  readonly says: RegExp;
}

const stopped: readonly Stopped[] = [
  { name: 'quota', script: claudeFails(429, 'Your credit balance is too low'), says: /hint: .*billing/u },
  {
    name: 'login',
    script: claudeFails(401, 'Failed to authenticate'),
    says: /hint: start claude and log in/u,
  },
  { name: 'model', script: claudeFails(404, 'model: opus-9'), says: /hint: set agent\.model/u },
  {
    name: 'never wait',
    script: claudeLimited(1),
    secs: '0',
    says: /\(waited 0 s of agent\.max_wait_secs\)/u,
  },
  {
    name: 'a reset that is too far away',
    script: claudeLimited(3600),
    secs: '5',
    says: /which lasts until 20\d\d-\d\d-\d\dT[\d:]+Z \(waited 0 s/u,
  },
  {
    name: 'a reset that no calendar has',
    script: claudeLimited(1e18),
    says: /which lasts until 9999-12-31T23:59:59Z/u,
  },
];

test('what no wait helps against, and what would take too long, stops at once', async () => {
  const p = await started();
  for (const { name, script, secs = '21600', says } of stopped) {
    const path = playFake(p, 'claude', { agent: [script] });
    const ran = await p.runWith({ ...path, RUNNER_AGENT_MAX_WAIT_SECS: secs }, 'loop');
    expect.soft(ran, `${name}: ${ran.err}`).toMatchObject({
      code: 1,
      out: 'loop: status=error run=test steps=0 started_at_iter=1',
    });
    expect.soft(ran.err, name).toMatch(/\[AGENT_BLOCKED\]/u);
    expect.soft(ran.err, name).toMatch(says);
    expect.soft(ran.err, name).not.toContain('waiting');
    expect.soft(sessionCount(p, 'claude'), name).toBe(1);
  }
});

/** Starts a loop whose agent is limited for an hour, and gives it back while it waits. */
async function startWaiting(p: Project, work: string) {
  const path = playFake(p, 'claude', { agent: [`${work}\n${claudeLimited(3600, spent)}`] });
  const running = p.start(['loop'], path);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  let err = '';
  running.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  await waitUntil('the wait', () => /waiting (?:01:00:0|59:5)\d/u.test(err));
  // Not the process itself: it can be awaited, and would be.
  return { running };
}

test('Ctrl-C ends a wait at once; what was written is recorded, nothing else', async () => {
  const p = await started();
  const { running } = await startWaiting(p, `echo part > part.txt; ${editsTree}`);
  running.kill('SIGINT');
  const { exitCode, stdout } = await running;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 130,
    stdout:
      'loop: step run=test iter=1 node=leaf status=retry guard=skipped\nloop: status=interrupted run=test steps=1 started_at_iter=1',
  });
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ attempts: 1, last: null, tree, errorLog: '' });
  expect(record.meta).toMatchObject({ sessions: 1, tokens: 120 });
  expect(await record.file('part.txt')).toBe('part');
  expect(await p.status()).toBe('');
});

test('a runner that is killed while it waits: the next loop records the work and goes on', async () => {
  const p = await started();
  const { running } = await startWaiting(p, `echo part > part.txt; ${editsTree}`);
  running.kill('SIGKILL');
  await running;
  expect(hasOpenJournal(p.top)).toBe(true);
  const path = playFake(p, 'claude', { agent: [claudeDone('echo rest > rest.txt', spent)] });
  const next = await p.runWith({ ...path, RUNNER_MAX_ITERATIONS: '2' }, 'loop');
  expect(next.err).toContain('recovering iteration 1 of run test (stopped at: agent)');
  expect(next.out.split('\n').slice(0, 2)).toEqual([
    'loop: step run=test iter=1 node=leaf status=retry guard=skipped',
    'loop: step run=test iter=2 node=leaf status=done guard=pass',
  ]);
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ attempts: 1, last: null, tree, meta: { recovered: true } });
  expect(await record.file('part.txt')).toBe('part');
  expect(record.meta.tokens, 'what the session before the wait used is not forgotten').toBe(120);
  expect((await recorded(p, 2)).runState.totals).toMatchObject({ tokens: 240, cost_usd: 0.5 });
});

const hasScript = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'script')));

test.skipIf(!hasScript)('a terminal sees the wait count down', async () => {
  const p = await started();
  const path = playFake(p, 'claude', { agent: [claudeLimited(2), claudeDone('echo x > x.txt')] });
  const command = `stty cols 120; '${process.execPath}' '${entryFile}' step`;
  const { stdout } = await execa('script', ['-qec', command, '/dev/null'], {
    cwd: p.dir,
    env: { ...p.env, ...path, TERM: 'xterm', SHELL: '/bin/sh' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  const drawn = new Set([...stdout.matchAll(/ · waiting (00:0\d) \(Ctrl-C stops/gu)].map(([, left]) => left));
  expect(drawn.size, stdout).toBeGreaterThan(1);
  expect(stdout).toContain('status=done guard=pass');
});
