/** `--events` (§10): everything that happens, one JSON object a line, by one schema; nothing else on stdout. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventStream } from '../../src/cli/output/event-stream.ts';
import { claudeDone, claudeLimited, claudeResult, playFake, say } from '../support/fake-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project, Ran } from '../support/project.ts';
import { answer, project, repositoryRoot, write } from '../support/project.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

type Line = Readonly<Record<string, unknown>>;

/** Each line, checked by the shipped schema. */
function linesOf(ran: Ran): readonly Line[] {
  return ran.out.split('\n').map((text) => {
    const line = JSON.parse(text) as Line;
    expectOutput('events', line);
    return line;
  });
}

function typesOf(lines: readonly Line[]): readonly unknown[] {
  return lines.map(({ type }) => type);
}

const tree = node('root', { children: [node('a'), node('b', { order: 1 })] });
const claude = template(() =>
  project({
    agent: 'name = "claude"\nmodel = "opus"',
    tree,
    guard: ['sh', '-c', 'printf "checking\\n\\n\\033[31mred\\033[0m\\n"'],
  }),
);
const scripted = template(() =>
  project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] }),
);
const record = {
  run_id: 'r',
  iter: 4,
  node_id: 'a',
  node_path: 'root/a',
  title: 'A',
  status: 'done',
  guard: 'pass',
  commit: '5b9ff14a0bc31378494454600f5afd181bef097f',
  message: 'passed',
  tokens: null,
  cost_usd: null,
  failure: null,
  duration_ms: { agent: 1, guard: 1, review: 0 },
  waited_secs: 0,
} as const;
const iterationStarted = {
  type: 'iteration_started',
  run_id: 'r',
  iter: 5,
  node_id: 'a',
  node_path: 'root/a',
  title: 'a',
  attempts: 0,
  max_attempts: 3,
  max_iterations: 50,
  purpose: 'execute',
  agent: { name: 'codex', version: null, model: null, effort: null },
  credential: null,
  budget_ms: 1000,
  rings: { sandbox: 'none', guard: 'outside', settings: true, checkout: 'off' },
  progress: { passed: 0, total: 2 },
  totals: { tokens: null, cost_usd: null },
} as const;
const spent = { input: 100, output: 20, cost: 0.25 };

function eventLog(p: Project, iter: number): readonly Line[] {
  const lines = p.log(iter, 'events.jsonl').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

test('a loop: runs, iterations, phases, agent events, guard lines, waits', async () => {
  const p = await claude();
  const talk = say({
    type: 'assistant',
    message: {
      content: [
        { type: 'text', text: 'look \u001b[2Jhere' },
        { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
      ],
    },
  });
  const path = playFake(p, 'claude', {
    agent: [
      claudeLimited(2, spent),
      claudeDone(`${talk}\necho a > a.txt`, spent),
      claudeDone('echo b > b.txt', spent),
    ],
  });
  const ran = await p.runWith(path, 'loop', '--events');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  const lines = linesOf(ran);
  expect(lines.every(({ run_id }) => run_id === 'test')).toBe(true);
  const outer = lines.filter(({ type }) => type !== 'agent_event');
  const iteration = ['guard_output', 'guard_output', 'phase', 'iteration_ended'];
  expect(typesOf(outer)).toEqual([
    'run_started',
    'iteration_started',
    'phase',
    'waiting',
    'waited',
    'phase',
    ...iteration,
    'iteration_started',
    'phase',
    'phase',
    ...iteration,
    'run_ended',
  ]);
  expect(outer.map(({ iter }) => iter)).toEqual([null, ...Array(9).fill(1), ...Array(7).fill(2), null]);
  expect(outer[0]).toMatchObject({ v: 1, command: 'loop', version: expect.any(String) });
  expect(outer[1]).toMatchObject({
    node_id: 'a',
    node_path: 'root/a',
    attempts: 0,
    max_attempts: 3,
    agent: { name: 'claude', version: '2.1.325 (Claude Code)', model: 'opus', effort: null },
    progress: { passed: 0, total: 2 },
    totals: { tokens: null, cost_usd: null },
  });
  expect(outer[3]).toMatchObject({ reason: expect.stringContaining('session limit') });
  expect(outer.filter(({ type }) => type === 'guard_output').map(({ line }) => line)).toEqual([
    'checking',
    'red',
    'checking',
    'red',
  ]);
  const ended = outer.filter(({ type }) => type === 'iteration_ended');
  expect(ended[0]).toMatchObject({
    status: 'done',
    guard: 'pass',
    tokens: 240,
    commit: await p.git('rev-parse', 'HEAD~1'),
    progress: { passed: 1, total: 2 },
  });
  expect(ended[0]?.['waited_secs']).toBeGreaterThan(0);
  expect(outer.at(-1)).toMatchObject({
    command: 'loop',
    status: 'complete',
    steps: 2,
    stop: null,
    limit: null,
  });
  // What an agent did is told as the log of the iteration has it.
  for (const iter of [1, 2]) {
    const told = lines.filter((line) => line['type'] === 'agent_event' && line['iter'] === iter);
    expect(told.length).toBeGreaterThan(1);
    expect(
      told.map(({ at, seq, session, role, event }) => ({ v: 1, seq, at, session, role, ...(event as Line) })),
    ).toEqual(eventLog(p, iter));
  }
});

test('between two iterations a line names none', () => {
  const lines: Line[] = [];
  const stream = eventStream({ out: (text) => lines.push(JSON.parse(text) as Line), nowIso: () => 'now' });
  stream.report({ type: 'run_started', command: 'loop', run_id: 'r' });
  stream.report({ type: 'recovering', run_id: 'r', iter: 4, phase: 'agent' });
  stream.report({ type: 'recovered', run_id: 'r', iter: 4, message: 'it was \u001b[2Jundone' });
  stream.report({
    type: 'iteration_ended',
    record: { ...record, iter: 4 },
    progress: { passed: 1, total: 2 },
  });
  stream.report({ type: 'note', message: 'between' });
  for (const line of lines) expectOutput('events', line);
  expect(lines.map(({ type, iter }) => [type, iter])).toEqual([
    ['run_started', null],
    ['recovering', 4],
    ['recovered', 4],
    ['iteration_ended', 4],
    ['note', null],
  ]);
  expect(lines[2]).toMatchObject({ message: 'it was undone' });
  const begun = { ...iterationStarted, run_id: 'r', iter: 5 };
  stream.report(begun);
  stream.report({
    type: 'iteration_ended',
    record: { ...record, iter: 5 },
    progress: { passed: 1, total: 2 },
  });
  stream.report({ type: 'note', message: 'after' });
  expect(lines.at(-1)).toMatchObject({ iter: null, run_id: 'r' });
});

test('step: recorded, complete, stuck, a limit, an error, a note', async () => {
  const p = await scripted();
  const first = linesOf(await p.run('step', '--events'));
  expect(typesOf(first.filter(({ type }) => type !== 'agent_event'))).toEqual([
    'run_started',
    'iteration_started',
    'phase',
    'phase',
    'phase',
    'iteration_ended',
    'run_ended',
  ]);
  expect(first.at(-1)).toMatchObject({ command: 'step', status: 'recorded', steps: 1, run_id: 'test' });
  const complete = await p.run('step', '--events');
  expect(complete.code).toBe(2);
  expect(linesOf(complete).at(-1)).toMatchObject({ status: 'complete', steps: 0 });
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  await p.commitAll('I changed\u001b[2J it');
  const stuck = await p.run('step', '--events');
  expect(stuck.code).toBe(3);
  expect(typesOf(linesOf(stuck))).toEqual(['run_started', 'note', 'run_ended']);
  expect(stuck.out).not.toContain('[2J');
  expect(linesOf(stuck).at(-1)).toMatchObject({ status: 'stuck', node_id: 'root' });
  p.put('.runner/state/tree.json', JSON.stringify(node('root')));
  await p.commitAll();
  const limited = await p.run('step', '--events', '--max-iterations', '1');
  expect(limited.code).toBe(1);
  const [end, error] = linesOf(limited).slice(-2);
  expect(end).toMatchObject({
    type: 'run_ended',
    status: 'limit',
    limit: { setting: 'max_iterations', used: 1, max: 1 },
  });
  expect(error).toMatchObject({ type: 'error', error: { code: 'ITERATION_LIMIT' } });
  p.put('dirty.txt', 'x\n');
  const dirty = linesOf(await p.run('loop', '--events'));
  expect(typesOf(dirty)).toEqual(['run_started', 'error']);
});

test('a blocked agent, and a signal', async () => {
  const p = await claude();
  const blocked = claudeResult({ error: { status: 401, text: 'Invalid API key' }, usage: null });
  const path = playFake(p, 'claude', { agent: [`${blocked}\nexit 1`, 'sleep 60'] });
  const refused = await p.runWith(path, 'loop', '--events');
  expect(refused.code).toBe(1);
  const end = linesOf(refused).find(({ type }) => type === 'run_ended');
  expect(end).toMatchObject({ status: 'error', stop: { kind: 'error', code: 'AGENT_BLOCKED' } });
  const running = p.start(['loop', '--events'], path);
  const seen = new Promise<void>((done) => {
    running.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('"phase":"agent"')) done();
    });
  });
  await seen;
  running.kill('SIGTERM');
  const { stdout, exitCode } = await running;
  expect(exitCode).toBe(143);
  const lines = linesOf({ code: 143, signal: undefined, out: stdout, err: '' });
  expect(lines.at(-1)).toMatchObject({ status: 'interrupted', stop: { signal: 'SIGTERM' } });
});

test.each([
  ['--events', '--json'],
  ['--events', '--reporter', 'github'],
  ['--json', '--reporter', 'github'],
])('%s and %s cannot be combined', async (...flags) => {
  const p = await scripted();
  for (const command of ['step', 'loop']) {
    const ran = await p.run(command, ...flags);
    expect(ran.code).toBe(64);
    expect(ran.err).toMatch(/cannot be combined.*\[USAGE\]/u);
  }
  expect((await p.run('step', '--reporter', 'other')).code).toBe(64);
  expect(p.runState().next_iter).toBe(1);
});

test('the schema has the agent events of events.jsonl, word for word', () => {
  const load = (file: string) =>
    JSON.parse(readFileSync(join(repositoryRoot, 'schemas', file), 'utf8')) as {
      $defs: Record<string, unknown>;
    };
  const { $defs } = load('output/v1/events.schema.json');
  const own = load('events/v1.schema.json').$defs;
  for (const [name, schema] of Object.entries(own)) {
    const text = JSON.stringify(schema).replaceAll('#/$defs/', '#/$defs/agent_');
    expect($defs[`agent_${name}`], name).toEqual(JSON.parse(text));
  }
  expect(
    Object.keys($defs).filter((name) => name.startsWith('agent_') && name !== 'agent_event'),
  ).toHaveLength(Object.keys(own).length);
});

test('every OpenTelemetry name of the document stands in the schema', () => {
  const formats = readFileSync(join(repositoryRoot, 'docs/formats.md'), 'utf8');
  const schema = readFileSync(join(repositoryRoot, 'schemas/output/v1/events.schema.json'), 'utf8');
  const names = (text: string): readonly string[] =>
    [...new Set(text.match(/\b(?:gen_ai\.[\w.]*\w|error\.type)\b/gu))].toSorted();
  expect(names(schema).length).toBeGreaterThan(10);
  expect(names(formats)).toEqual(names(schema));
});
