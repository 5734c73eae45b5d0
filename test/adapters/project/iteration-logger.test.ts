import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { iterationLogger } from '../../../src/adapters/project/iteration-logger.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import type { IterationMeta } from '../../../src/core/agents/session.ts';
import { scratchFolder } from '../../support/scratch.ts';

const request = { run_id: 'run-1', iter: 3 };
/** Nothing is secret here. */
const same = (text: string): string => text;

const meta: IterationMeta = {
  recovered: false,
  notes: ['n'],
  processes: 'group+cookie',
  tool_files: ['.envrc'],
  changed_files: 2,
  commit: 'c',
  tree_sha256: { after: 'b', before: 'a' },
  counterfactual: 'n/a',
  rings: { checkout: 'final', guard: 'outside', sandbox: 'none', settings: true },
  prompt_cut: [{ bytes: 9, section: 'Path' }],
  task_sha256: 't',
  exit_codes: { guard: 1, agent: null },
  waited_secs: 30,
  sessions: 2,
  failure: 'rate_limited',
  totals: { run: { cost_usd: 0.5, tokens: 200 }, node: { cost_usd: null, tokens: 100 } },
  cost_usd: null,
  tokens: 100,
  duration_ms: { total: 3, review: 4, guard: 2, agent: 1 },
  ended_at: '2026-01-01T00:00:01.000Z',
  started_at: '2026-01-01T00:00:00.000Z',
  review: { verdict: 'fail', agent: { effort: 'low', model: 'm', version: null, name: 'claude' } },
  agent: { effort: null, model: null, version: '1', name: 'codex' },
  outcome: 'guard-fail',
  guard: 'fail',
  status: 'done',
  mode: 'execute',
  node_path: 'root/a',
  title: 'A',
  node_id: 'a',
  iter: 3,
  run_id: 'run-1',
};

test('[ancestor: iteration_log iteration_paths_are_stable] the folder is .runner/iterations/run-1/3', async () => {
  const project = scratchFolder();
  const logs = iterationLogger(layout(project), same);
  await logs.begin(request);
  expect(logs.diffFile()).toBe(join(project, '.runner/iterations/run-1/3/diff.patch'));
  await logs.save('prompt.md', 'p');
  expect(readFileSync(join(project, '.runner/iterations/run-1/3/prompt.md'), 'utf8')).toBe('p');
});

test('[ancestor: iteration_log writes_iteration_logs_with_guard_failure] meta.json in the documented order, as its schema says', async () => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, same);
  await logs.begin(request);
  expect(existsSync(place.iteration(request).meta)).toBe(false);
  for (const name of [
    'output.json',
    'tree.before.json',
    'tree.after.json',
    'agent_error.log',
    'runner_error.log',
  ] as const)
    await logs.save(name, name);

  await logs.finish(meta);
  expect(existsSync(place.iteration(request).meta)).toBe(true);
  const schema = JSON.parse(readFileSync('schemas/meta/v1.schema.json', 'utf8')) as {
    required: string[];
    properties: object;
  };
  const text = readFileSync(place.iteration(request).meta, 'utf8');
  const written = JSON.parse(text) as object;
  expect(written).toEqual(meta);
  expect(Object.keys(written)).toEqual(schema.required);
  expect(Object.keys(schema.properties)).toEqual(schema.required);
  expect(text).toContain(
    '"duration_ms": {\n    "agent": 1,\n    "guard": 2,\n    "review": 4,\n    "total": 3\n  }',
  );
  expect(JSON.stringify(written)).toContain(
    '"review":{"agent":{"name":"claude","version":null,"model":"m","effort":"low"},"verdict":"fail"}',
  );
  expect(JSON.stringify(written)).toContain('"totals":{"node":{"tokens":100,"cost_usd":null},"run"');
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  expect(validate(written)).toBe(true);
  expect(validate({ ...written, status: 'Done' })).toBe(false);
  expect(validate({ ...written, failure: 'unknown' })).toBe(false);
  await logs.finish({ ...meta, review: null, failure: null });
  const plain = JSON.parse(readFileSync(place.iteration(request).meta, 'utf8')) as object;
  expect(plain).toMatchObject({ review: null, failure: null });
  expect(validate(plain)).toBe(true);
});

test('a folder of the same number steps aside, every time', async () => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, same);
  for (const text of ['first', 'second', 'third']) {
    await logs.begin(request);
    await logs.save('prompt.md', text);
  }
  const folder = dirname(place.iteration(request).dir);
  expect(readdirSync(folder)).toEqual(['3', '3.old-1', '3.old-2']);
  expect(
    ['3.old-1', '3.old-2', '3'].map((name) => readFileSync(join(folder, name, 'prompt.md'), 'utf8')),
  ).toEqual(['first', 'second', 'third']);
});

test('reopening keeps what is there and makes what is gone', async () => {
  const place = layout(scratchFolder());
  await iterationLogger(place, same).begin(request);
  await iterationLogger(place, same).begin({ ...request, iter: 4 });
  const logs = iterationLogger(place, same);
  writeFileSync(place.iteration(request).prompt, 'p');
  await logs.reopen(request);
  expect(readFileSync(place.iteration(request).prompt, 'utf8')).toBe('p');
  rmSync(place.root, { recursive: true });
  await logs.reopen(request);
  await logs.save('agent_error.log', 'e');
  expect(readFileSync(place.iteration(request).agentError, 'utf8')).toBe('e');
});

test("the agent's tree is kept byte for byte; nothing there leaves no file", async () => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, same);
  await logs.begin(request);
  const { treeAgent } = place.iteration(request);
  await logs.keepAgentTree();
  expect(existsSync(treeAgent)).toBe(false);
  mkdirSync(place.stateDir);
  const bytes = Buffer.from([0xff, 0x00, 0x0a]);
  writeFileSync(place.tree, bytes);
  await logs.keepAgentTree();
  expect(readFileSync(treeAgent)).toEqual(bytes);
  rmSync(place.tree);
  symlinkSync('/etc/passwd', place.tree);
  await logs.keepAgentTree();
  expect(existsSync(treeAgent)).toBe(false);
});

test.each([
  ['agent', ['executor.log', 'output.json', 'tree.agent.json']],
  ['review', ['review.log', 'review.json', 'review.patch']],
] as const)('what a session (%s) left is numbered when another follows', async (role, names) => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, same);
  await logs.begin(request);
  const { dir, file } = place.iteration(request);
  await logs.keepSession(role);
  expect(readdirSync(dir)).toEqual([]);
  const others = ['events.jsonl', 'guard.log', role === 'agent' ? 'review.log' : 'executor.log'];
  for (const text of ['first', 'second']) {
    for (const name of [...names, ...others]) writeFileSync(file(name), text);

    await logs.keepSession(role);
  }
  const kept = names.flatMap((name) => [`${name}-1`, `${name}-2`]);
  expect(readdirSync(dir).toSorted()).toEqual([...kept, ...others].toSorted());
  expect(kept.map((name) => readFileSync(file(name), 'utf8'))).toEqual(
    names.flatMap(() => ['first', 'second']),
  );
});

test('what a reviewer changed has a file of its own', async () => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, same);
  await logs.reopen(request);
  expect(logs.reviewPatchFile()).toBe(place.iteration(request).file('review.patch'));
});

test('writing before a log is opened is a defect', () => {
  const logs = iterationLogger(layout(scratchFolder()), same);
  expect(() => logs.diffFile()).toThrow('an iteration log is written before it is opened');
});

test('texts of programs are redacted; prompts and trees are not', async () => {
  const place = layout(scratchFolder());
  const logs = iterationLogger(place, (text) => text.replaceAll('hidden', '*'));
  await logs.begin(request);
  const names = ['prompt.md', 'tree.after.json', 'output.json', 'runner_error.log'] as const;
  for (const name of names) await logs.save(name, 'a hidden word');
  await logs.finish({ ...meta, notes: ['a hidden note'] });
  const files = place.iteration(request);
  const left = names.map((name) => readFileSync(files.file(name), 'utf8'));
  expect(left).toEqual(['a hidden word', 'a hidden word', 'a * word', 'a * word']);
  expect(readFileSync(files.meta, 'utf8')).toContain('"a * note"');
});

describe('trees of older iterations', () => {
  /** Three trees of 8 MiB an iteration: two iterations fit. */
  const textOf = (iter: number): string => `${iter}`.padEnd(8 * 1024 * 1024, ' ');
  const all = ['tree.after.json', 'tree.agent.json', 'tree.before.json'];

  function opened() {
    const place = layout(scratchFolder());
    const at = (iter: number) => place.iteration({ run_id: 'demo', iter });
    return {
      at,
      kept: (iter: number): readonly string[] =>
        readdirSync(at(iter).dir).filter((name) => name.startsWith('tree.')),
      write: async (iter: number, agentTree: string): Promise<void> => {
        const logger = iterationLogger(place, same);
        await logger.begin({ run_id: 'demo', iter });
        await logger.save('tree.before.json', textOf(iter - 1));
        await logger.save('tree.agent.json', agentTree);
        await logger.save('tree.after.json', textOf(iter));
        await logger.finish({ ...meta, run_id: 'demo', iter, commit: 'a'.repeat(40) });
      },
    };
  }

  test('stay only where commits do not hold them', async () => {
    const { at, kept, write } = opened();
    await write(1, textOf(0));
    await write(2, 'only here');
    expect([kept(1), kept(2)]).toEqual([all, all]);
    await write(3, textOf(2));
    expect([kept(1), kept(2), kept(3)]).toEqual([[], all, all]);
    await write(4, textOf(3));
    expect([kept(2), kept(3), kept(4)]).toEqual([['tree.agent.json'], all, all]);
    expect(readFileSync(at(2).treeAgent, 'utf8')).toBe('only here');
  });

  test('nothing is removed through a link, nor of an iteration without a commit', async () => {
    const { at, kept, write } = opened();
    await write(1, textOf(0));
    writeFileSync(at(1).meta, readFileSync(at(1).meta, 'utf8').replace('a'.repeat(40), ''));
    await write(2, textOf(1));
    await write(3, textOf(2));
    expect(kept(1)).toEqual(all);
    renameSync(at(2).dir, `${at(1).dir}-elsewhere`);
    symlinkSync(`${at(1).dir}-elsewhere`, at(2).dir);
    await write(4, textOf(3));
    expect(readdirSync(`${at(1).dir}-elsewhere`)).toEqual(expect.arrayContaining(all));
  });
});
