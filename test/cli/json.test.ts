/** `--json`: every line of stdout parses and has the documented fields, errors included; stderr stays for people. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Ran } from '../support/project.ts';
import { answer, bareProject, child, project, write } from '../support/project.ts';
import { commandTable } from '../../src/cli/table/command-table.ts';
import { expectOutput, listOutputs } from '../support/output-schema.ts';
import { waitUntil } from '../support/scratch.ts';
import { fakeProgram } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done', 'made it') };
const started = template(() => project({ script: [done] }));

/** Each line on its own, as a reader of a stream would, and as its shipped schema says. */
function values(ran: Ran): readonly Record<string, unknown>[] {
  expect(ran.out).not.toBe('');
  return ran.out.split('\n').map((line) => {
    const value = JSON.parse(line) as Record<string, unknown>;
    expectOutput('error' in value ? 'error' : String(value['command']), value);
    return value;
  });
}

function one(ran: Ran): Record<string, unknown> {
  const found = values(ran);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
}

test('every command has a schema of its output', () => {
  const shown = commandTable.filter((row) => !('isHidden' in row));
  const names = shown.map(({ name }) => name.replaceAll(' ', '-'));
  expect(listOutputs()).toEqual(expect.arrayContaining([...names, 'error', 'events', 'notify']));
});

test('init, start, validate and select', async () => {
  const p = await bareProject({ files: { justfile: 'ci:\n    true\n' } });
  Object.assign(p.env, fakeProgram(p, 'codex', 'echo codex-cli 0.98.0'));
  const made = one(await p.run('init', '--json'));
  expect(Object.keys(made)).toEqual(['command', 'files', 'guard_command', 'setup', 'warning']);
  expect(made).toMatchObject({ command: 'init', guard_command: ['just', 'ci'], warning: null });
  expect(one(await p.run('validate', '--json'))).toEqual({
    command: 'validate',
    layout: 'ok',
    config: 'ok',
    tree: 'ok',
    run: { status: 'not-started' },
    warnings: [],
  });
  p.put('.runner/GOAL.md', '---\nid: j\n---\nGoal.\n');
  // Where this checkout is below /tmp its `just` cannot be seen in a sandbox.
  const begun = one(await p.runWith({ RUNNER_SANDBOX_KIND: 'none' }, 'start', '--no-baseline', '--json'));
  expect(begun).toEqual({
    command: 'start',
    run_id: 'j',
    branch: 'runner/j',
    resumed: false,
    commit: await p.git('rev-parse', 'HEAD'),
    guard_baseline: null,
    agent: 'codex',
    credential: 'none found: codex login (or set CODEX_API_KEY)',
    reviewer: null,
    warnings: [],
  });
  expect(one(await p.run('validate', '--json'))).toMatchObject({
    run: { status: 'ok', run_id: 'j', branch: 'runner/j' },
  });
  await p.git('switch', '-q', '-c', 'x');
  expect(one(await p.run('validate', '--json'))).toMatchObject({
    run: { status: 'inactive', run_id: 'j', branch: 'x' },
  });
  expect(one(await p.run('select', '--json'))).toEqual({
    command: 'select',
    status: 'open',
    id: 'root',
    path: 'root',
    attempts: 0,
    max_attempts: 3,
  });
});

test('select: stuck, planned, repair and complete', async () => {
  const p = await started();
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  const leaf = { id: 'root', path: 'root', attempts: 3, max_attempts: 3 };
  expect(one(await p.run('select', '--json'))).toEqual({ command: 'select', status: 'stuck', ...leaf });
  const planned = one(await p.runWith({ RUNNER_ON_STUCK: 'decompose' }, 'select', '--json'));
  expect(planned).toEqual({ command: 'select', status: 'open', mode: 'decompose', ...leaf });
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { passes: true })));
  expect(one(await p.run('select', '--json'))).toEqual({ command: 'select', status: 'complete' });
  const repair = { node_id: 'root', count: 0, sha256: 'x' };
  p.put('.runner/state/run_state.json', JSON.stringify({ ...p.runState(), repair }));
  expect(one(await p.run('select', '--json'))).toEqual({ command: 'select', status: 'repair', id: 'root' });
});

test('step: a record, complete, stuck', async () => {
  const p = await started();
  const record = one(await p.run('step', '--json'));
  expect(record).toEqual({
    command: 'step',
    event: 'step',
    run_id: 'test',
    iter: 1,
    node_id: 'root',
    node_path: 'root',
    title: 'Root',
    status: 'done',
    guard: 'pass',
    commit: await p.git('rev-parse', 'HEAD'),
    message: expect.any(String),
    tokens: null,
    cost_usd: null,
    failure: null,
    duration_ms: { agent: expect.any(Number), guard: expect.any(Number), review: 0 },
    waited_secs: 0,
    stop: null,
  });
  expect(one(await p.run('step', '--json'))).toEqual({ command: 'step', status: 'complete', run_id: 'test' });
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  await p.commitAll();
  expect(one(await p.run('step', '--json'))).toEqual({
    command: 'step',
    status: 'stuck',
    run_id: 'test',
    id: 'root',
    path: 'root',
    attempts: 3,
    max_attempts: 3,
  });
});

test('loop: one line for each step and one for the end', async () => {
  const p = await project({
    script: [
      { answer: answer('decomposed', 'two', [child('one'), child('two')]) },
      done,
      { ...done, actions: [write('b.txt', 'b\n')] },
    ],
  });
  const ran = await p.run('loop', '--json');
  const found = values(ran);
  expect(found.map(({ command, event, iter }) => [command, event, iter])).toEqual([
    ['loop', 'step', 1],
    ['loop', 'step', 2],
    ['loop', 'step', 3],
    ['loop', 'end', undefined],
  ]);
  expect(Object.keys(found[0] ?? {})).toEqual([
    'command',
    'event',
    'run_id',
    'iter',
    'node_id',
    'node_path',
    'title',
    'status',
    'guard',
    'commit',
    'message',
    'tokens',
    'cost_usd',
    'failure',
    'duration_ms',
    'waited_secs',
  ]);
  expect(found[1]).toMatchObject({
    node_id: 'root.1',
    node_path: 'root/root.1',
    status: 'done',
    guard: 'pass',
  });
  expect(found[3]).toEqual({
    command: 'loop',
    event: 'end',
    status: 'complete',
    run_id: 'test',
    steps: 3,
    started_at_iter: 1,
  });
  expect(ran.err).toContain('iter 1: root Root, with scripted');
});

test('loop: limit, stuck, error', async () => {
  const p = await project({ script: [{ answer: answer('retry') }] });
  const limited = values(await p.run('loop', '--json', '--max-iterations', '1'));
  expect(limited).toEqual([
    expect.objectContaining({ event: 'step', status: 'retry' }),
    {
      command: 'loop',
      event: 'end',
      status: 'limit',
      next_iter: 2,
      max_iterations: 1,
      run_id: 'test',
      steps: 1,
      started_at_iter: 1,
    },
    {
      error: { code: 'ITERATION_LIMIT', message: expect.any(String), details: [], hint: expect.any(String) },
    },
  ]);
  // The script has no second step, so every further session fails; the limit of failures ends the loop.
  const failed = values(await p.runWith({ RUNNER_AGENT_MAX_FAILURES: '1' }, 'loop', '--json'));
  expect(failed).toEqual([
    expect.objectContaining({ event: 'step', iter: 2 }),
    expect.objectContaining({
      event: 'end',
      status: 'error',
      stop: expect.objectContaining({ kind: 'error', code: 'AGENT_FAILING' }),
    }),
    { error: expect.objectContaining({ code: 'AGENT_FAILING' }) },
  ]);
  p.put('.runner/state/tree.json', JSON.stringify(node('root', { attempts: 3 })));
  await p.commitAll();
  expect(values(await p.run('loop', '--json'))).toEqual([
    {
      command: 'loop',
      event: 'end',
      status: 'stuck',
      id: 'root',
      path: 'root',
      attempts: 3,
      max_attempts: 3,
      run_id: 'test',
      steps: 0,
      started_at_iter: 3,
    },
  ]);
});

test('errors: the same words as on stderr', async () => {
  const p = await started();
  p.put('dirty.txt', 'x\n');
  const dirty = await p.run('step', '--json');
  expect(one(dirty)).toEqual({
    error: {
      code: 'GIT_DIRTY',
      message: 'the work tree is not clean: 1 changed path',
      details: ['?? "dirty.txt"'],
      hint: 'git add -A && git commit, or: git stash -u',
    },
  });
  expect(dirty.err).toBe((await p.run('step')).err);
  const usage = await p.run('--json', 'stp');
  expect(one(usage)).toMatchObject({ error: { code: 'USAGE', hint: 'runner --help' } });
  for (const args of [
    ['init'],
    ['validate', '-C', '..'],
    ['select', '-C', '..'],
    ['start', '-C', '..'],
    ['loop', '--agent', 'nobody'],
  ]) {
    const ran = await p.run(...args, '--json');
    expect(ran.code, args.join(' ')).toBe(1);
    expectOutput('error', one(ran));
  }
});

test('demo: each of its commands in JSON, ending complete', async () => {
  const p = await bareProject();
  const ran = await p.runWith({ TMPDIR: p.base }, 'demo', '--json', '--quiet');
  expect(ran, ran.err).toMatchObject({ code: 0, err: '' });
  const found = values(ran);
  for (const value of found) expectOutput('demo', value);
  expect([...new Set(found.map(({ command }) => command))]).toEqual(['init', 'start', 'loop']);
  expect(found.at(-1)).toMatchObject({ command: 'loop', event: 'end', status: 'complete', steps: 7 });
});

/** Every limit, a signal, and what a repair and a decomposed node look like, with their schemas. */
test('step and loop: limits of the run and an interrupt', async () => {
  const p = await project({ script: [{ answer: answer('retry') }, { actions: [{ sleep_ms: 60_000 }] }] });
  const used = { ...p.runState(), totals: { tokens: 10, cost_usd: 0.5, seconds: 7 } };
  p.put('.runner/state/run_state.json', `${JSON.stringify(used, null, 2)}\n`);
  await p.commitAll();
  const limits = [
    ['RUNNER_LIMITS_MAX_RUN_SECS', '7', { seconds: 7, max_run_secs: 7 }],
    ['RUNNER_LIMITS_MAX_TOKENS', '10', { tokens: 10, max_tokens: 10 }],
    ['RUNNER_LIMITS_MAX_COST_USD', '0.5', { cost_usd: 0.5, max_cost_usd: 0.5 }],
  ] as const;
  for (const [name, value, fields] of limits) {
    const [end, error] = values(
      await p.runWith({ [name]: value, RUNNER_AGENT_NAME: 'claude' }, 'loop', '--json'),
    );
    expect(end, name).toMatchObject({ event: 'end', status: 'limit', steps: 0, ...fields });
    expect(error).toHaveProperty('error');
    // A limit prints no line of its own for `step`: only the error.
    expect(
      one(await p.runWith({ [name]: value, RUNNER_AGENT_NAME: 'claude' }, 'step', '--json')),
    ).toHaveProperty('error');
  }
  expect(one(await p.run('step', '--json'))).toMatchObject({ status: 'retry', stop: null });
  const running = p.start(['loop', '--json']);
  await waitUntil('the session to be at work', () =>
    existsSync(`${p.dir}/.runner/iterations/test/2/prompt.md`),
  );

  running.kill('SIGTERM');
  const { stdout, exitCode } = await running;
  expect(exitCode).toBe(143);
  const found = values({ code: 143, signal: undefined, out: stdout, err: '' });
  expect(found.at(-1)).toMatchObject({
    event: 'end',
    status: 'interrupted',
    stop: { kind: 'interrupted', signal: 'SIGTERM' },
  });
});
