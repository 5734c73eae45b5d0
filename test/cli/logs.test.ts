/** The iteration log (§8): every file, what it holds, how it is cut, and what the commit says about it. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { fixtures, playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('all files of an iteration, with the hashes that the commit and meta.json name', async () => {
  const said = '{ "summary": "s\\u00e9",\n "status":"done" , "children":null}';
  const p = await project({
    tree: node('root', { children: [node('group', { children: [node('leaf')] }), node('b', { order: 1 })] }),
    guard: ['sh', '-c', 'echo to stdout; echo to stderr >&2; test -f ok'],
    script: [
      { actions: [{ print: 'hello\n' }, { print_error: 'oh\n' }, write('new file', 'text\n')], answer: said },
      { actions: [{ print: 'only' }, { tree: { text: 'x' } }], answer: answer('done') },
      { actions: [{ exit: 2 }] },
    ],
  });
  expect((await p.run('loop', '--max-iterations', '3')).code).toBe(1);
  const folder = (iter: number): string => join(p.dir, '.runner/iterations/test', String(iter));
  const always = [
    'diff.patch',
    'events.jsonl',
    'executor.log',
    'meta.json',
    'prompt.md',
    'tree.after.json',
    'tree.agent.json',
    'tree.before.json',
  ];
  expect(readdirSync(folder(1)).toSorted()).toEqual([...always, 'guard.log', 'output.json'].toSorted());
  expect(readdirSync(folder(2)).toSorted()).toEqual([...always, 'agent_error.log', 'output.json'].toSorted());
  expect(readdirSync(folder(3)).toSorted()).toEqual([...always, 'runner_error.log'].toSorted());

  const { meta, trailers } = await recorded(p, 1);
  expect(p.log(1, 'output.json'), 'as the agent gave it').toBe(said);
  expect(p.log(1, 'executor.log')).toBe('hello\n\n=== stderr ===\noh\n');
  expect(p.log(1, 'guard.log')).toBe('to stdout\nto stderr\n');
  expect(p.log(1, 'diff.patch')).toContain('+text');
  expect(p.log(1, 'diff.patch')).not.toContain('.runner/');
  expect(p.log(1, 'tree.before.json')).toBe(p.log(1, 'tree.agent.json'));
  expect(JSON.parse(p.log(1, 'tree.after.json'))).toMatchObject({
    children: [{ children: [{ attempts: 1 }] }, {}],
  });
  expect(Object.keys(meta)).toEqual([
    'run_id',
    'iter',
    'node_id',
    'node_path',
    'title',
    'mode',
    'status',
    'guard',
    'outcome',
    'agent',
    'review',
    'started_at',
    'ended_at',
    'duration_ms',
    'tokens',
    'cost_usd',
    'totals',
    'failure',
    'sessions',
    'waited_secs',
    'task_sha256',
    'prompt_cut',
    'rings',
    'counterfactual',
    'exit_codes',
    'tree_sha256',
    'commit',
    'changed_files',
    'tool_files',
    'processes',
    'notes',
    'recovered',
  ]);
  expect(meta).toMatchObject({
    node_id: 'leaf',
    node_path: 'root/group/leaf',
    mode: 'execute',
    agent: { name: 'scripted', version: null, model: null, effort: null },
    review: null,
    failure: null,
    sessions: 1,
    waited_secs: 0,
    exit_codes: { agent: 0, guard: 1 },
    tree_sha256: { before: sha256(p.log(1, 'tree.before.json')), after: sha256(p.log(1, 'tree.after.json')) },
    outcome: 'guard-fail',
    changed_files: 1,
    tool_files: [],
    processes: 'group+cookie',
    notes: [],
    recovered: false,
  });
  expect(meta.duration_ms.total).toBe(meta.duration_ms.agent + meta.duration_ms.guard);
  expect(new Date(meta.started_at).toISOString()).toBe(meta.started_at);
  expect(Date.parse(meta.ended_at)).toBeGreaterThanOrEqual(Date.parse(meta.started_at));
  expect(trailers).toEqual([
    'Run: test',
    'Title: leaf title',
    `Baseline: ${await p.git('rev-parse', ':/start run test')}`,
    'Outcome: guard-fail',
    'Agent: scripted',
    'Mode: execute',
    `Prompt-SHA256: ${sha256(p.log(1, 'prompt.md'))}`,
    `Answer-SHA256: ${sha256(said)}`,
    `Tree-Before-SHA256: ${meta.tree_sha256.before}`,
    `Tree-After-SHA256: ${meta.tree_sha256.after}`,
    'Guard-Command: sh -c "echo to stdout; echo to stderr >&2; test -f ok"',
    'Guard-Exit: 1',
    `Guard-Log-SHA256: ${sha256(p.log(1, 'guard.log'))}`,
    expect.stringMatching(/^Rings: sandbox=none settings=on checkout=/),
    expect.stringMatching(/^Work: [0-9a-f]{40}$/u),
    'Changed-Files: 1',
  ]);
  expect(await p.git('show', '--no-patch', '--format=%an <%ae> %cn', 'HEAD')).toBe(
    'Test Person <person@test.invalid> Test Person',
  );
  expect(
    await p.git('check-ignore', '.runner/iterations/test/1/meta.json', '.runner/context/goal.md'),
  ).toContain('meta.json');
  expect(p.read('.runner/context/goal.md')).toContain('leaf goal');
});

test('logs are cut to their limits with head and tail, also 50 MB of them', async () => {
  const flood = join(fixtures, 'floods-stdout.mjs');
  const p = await project({
    agent: shellAgent,
    config: 'executor_output_limit_bytes = 5000\nguard_output_limit_bytes = 1000',
    guard: ['sh', '-c', 'echo guard begins; seq 1 5000; echo guard ends; exit 1'],
  });
  playAgent(
    p,
    `echo agent begins; "${process.execPath}" "${flood}" 50 é; echo; echo agent ends
    echo errors begin >&2; seq 1 5000 >&2; echo errors end >&2; echo x > x.txt; answer done`,
  );
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=fail',
  });
  const log = readFileSync(join(p.dir, '.runner/iterations/test/1/executor.log'));
  expect(log.length).toBeLessThanOrEqual(5000);
  const text = new TextDecoder('utf8', { fatal: true }).decode(log);
  expect(text).toMatch(
    /^agent begins\né.*\d+ bytes.*é\nagent ends\n\n=== stderr ===\nerrors begin\n1\n[^]*errors end\n$/su,
  );
  const guard = p.log(1, 'guard.log');
  expect(statSync(join(p.dir, '.runner/iterations/test/1/guard.log')).size).toBeLessThanOrEqual(1000);
  expect(guard).toMatch(/^guard begins\n1\n2\n[^]*\d+ bytes[^]*\n5000\nguard ends\n$/u);
  const record = await recorded(p, 1);
  expect(record.last?.guard_output).toContain('guard ends');
  expect(Buffer.byteLength(JSON.stringify(record.last))).toBeLessThan(32 * 1024);
  expect(record.trailers).toContain(`Guard-Log-SHA256: ${sha256(guard)}`);
});
