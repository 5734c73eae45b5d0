/** Rows of the §5 table that a scripted agent can reach, in one run from the first row to a complete tree. */
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import type { ScriptStep } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

const guard = [
  'sh',
  '-c',
  'printf "checked \\033[31mred\\033[0m\\n"; test -f ok || { echo "ok is missing" >&2; exit 3; }',
];

const tree = node('root', {
  children: [
    node('work', { max_attempts: 9 }),
    node('group', { order: 1, children: [node('group.a')] }),
    node('later', { order: 2 }),
  ],
});

interface Case {
  readonly name: string;
  readonly step: ScriptStep;
  readonly told: string;
}

const noAnswers: readonly Case[] = [
  { name: 'missing', step: {}, told: 'no answer' },
  {
    name: 'not JSON',
    step: { answer: 'I am done!' },
    told: 'the answer is not valid JSON: line 1, column 1',
  },
  {
    name: 'not of the schema',
    step: { answer: { status: 'finished', summary: 1 } },
    told: 'the answer does not fit its schema: status must be one of done, retry, decomposed; summary must be a string',
  },
  {
    name: 'over 64 KiB',
    step: { answer: answer('done', 'x'.repeat(65_536)) },
    told: 'at most 65536 are allowed',
  },
];

test('no answer in all its forms, a failing agent, retry, a failing and a passing guard, up to a complete tree', async () => {
  const p = await project({
    tree,
    guard,
    config: 'max_iterations = 20',
    script: [
      ...noAnswers.map(({ step }, index) => ({
        ...step,
        actions: [
          write(`try-${index + 1}.txt`, 'try\n'),
          { tree: { edits: [{ id: 'later', set: { title: 'x' } }] } },
        ],
      })),
      {
        actions: [write('lost.txt', 'kept\n'), { print_error: 'boom' }, { exit: 3 }],
        answer: answer('done'),
      },
      {
        actions: [{ tree: { edits: [{ id: 'later', set: { order: -1, goal: 'finer' } }] } }],
        answer: answer('retry', 'half of it'),
      },
      {
        actions: [{ tree: { edits: [{ id: 'later', set: { goal: 'a smaller goal' } }] } }],
        answer: answer('retry', 'narrowed it'),
      },
      { actions: [write('part', '1\n')], answer: answer('done', 'all there') },
      { actions: [write('ok', '1\n')], answer: answer('done', 'now really') },
      { actions: [write('a', '1\n')], answer: answer('done', 'made a') },
      { actions: [write('b', '1\n')], answer: answer('done', 'made b') },
    ],
  });
  p.put('.runner/nodes/later/context.md', 'only for later\n');
  await p.commitAll();
  const ran = await p.runWith({ RUNNER_AGENT_MAX_FAILURES: '9' }, 'loop');
  expect(ran.code, ran.err).toBe(0);

  for (const [index, { name, told }] of noAnswers.entries()) {
    const iter = index + 1;
    const record = await recorded(p, iter);
    expect
      .soft(record, name)
      .toMatchObject({ status: 'retry', guard: 'skipped', node: 'work', attempts: 0, tree });
    expect.soft(record.errorLog, name).toContain('agent_error.log: ');
    expect.soft(record.errorLog, name).toContain(told);
    expect.soft(record.last?.error, name).toContain(told);
    expect.soft(p.log(iter + 1, 'prompt.md'), name).toContain(told);
    expect.soft(record.runState, name).toMatchObject({ failures_in_a_row: iter, judged_sessions: iter });
    expect.soft(await record.file(`try-${iter}.txt`), name).toBe('try');
    expect.soft(p.log(iter, 'tree.agent.json'), name).toContain('"title": "x"');
  }

  const failed = await recorded(p, 5);
  expect(failed).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 0, tree });
  expect(failed.errorLog).toBe('runner_error.log: scripted ended with exit code 3\n');
  expect(failed.last, 'told nothing: what was told before stays').toMatchObject({ iter: 4 });
  expect(failed.runState.failures_in_a_row).toBe(5);
  expect(failed.meta.exit_codes).toEqual({ agent: 3, guard: null });
  expect(await failed.file('lost.txt')).toBe('kept');
  expect(p.log(5, 'executor.log')).toContain('boom');

  const retried = await recorded(p, 6);
  expect(retried).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 1, errorLog: '' });
  expect(
    retried.tree.children.map(({ id }) => id),
    "the agent's order and texts",
  ).toEqual(['later', 'work', 'group']);
  expect(retried.tree.children[0]?.goal).toBe('finer');
  expect(retried.last).toEqual({ iter: 6, summary: 'half of it', error: null, guard_output: null });
  expect(retried.runState).toMatchObject({ failures_in_a_row: 0, last_summary: 'half of it' });

  const changed = await recorded(p, 7);
  expect(changed, 'the reordered tree selects another leaf').toMatchObject({ node: 'later', attempts: 1 });
  expect(changed.trailers.at(-1)).toBe('Mark: changed-goal');
  expect(changed.last?.error).toContain('changed the title, goal or acceptance of this node');
  expect(p.log(8, 'prompt.md')).toContain('changed the title, goal or acceptance of this node');
  expect(p.log(7, 'prompt.md'), 'another node never sees what was told to the first').not.toContain(
    'half of it',
  );
  expect(p.log(7, 'prompt.md')).toContain('only for later');

  const refused = await recorded(p, 8);
  expect(refused).toMatchObject({ status: 'done', guard: 'fail', attempts: 2, errorLog: '' });
  expect(refused.tree.children[0]).toMatchObject({ id: 'later', passes: false, goal: 'a smaller goal' });
  expect(refused.last).toMatchObject({ iter: 8, summary: 'all there', error: null });
  expect(refused.last?.guard_output).toBe('the guard ended with exit code 3\n\nchecked red\nok is missing');
  expect(refused.meta).toMatchObject({ exit_codes: { agent: 0, guard: 3 }, changed_files: 1 });
  expect(p.log(8, 'guard.log')).toBe('checked \u001b[31mred\u001b[0m\nok is missing\n');
  expect(p.log(9, 'prompt.md')).toContain('ok is missing');
  expect(p.log(9, 'prompt.md')).toContain('all there');

  const passed = await recorded(p, 9);
  expect(passed).toMatchObject({ status: 'done', guard: 'pass', attempts: 2, last: null });
  expect(passed.tree).toMatchObject({ passes: false, children: [{ id: 'later', passes: true }, {}, {}] });
  expect(passed.runState.nodes['later'], 'a passed node needs no record').toBeUndefined();
  const half = await recorded(p, 10);
  expect(half.tree).toMatchObject({
    passes: false,
    children: [{ passes: true }, { passes: true }, { passes: false }],
  });
  const whole = await recorded(p, 11);
  expect(whole, 'derived in one green iteration').toMatchObject({
    node: 'group.a',
    status: 'done',
    guard: 'pass',
  });
  expect(whole.tree).toMatchObject({
    passes: true,
    children: [{ passes: true }, { passes: true }, { passes: true }],
  });
  expect(ran.out.split('\n').slice(-2)).toEqual([
    'loop: step run=test iter=11 node=group.a status=done guard=pass',
    'loop: status=complete run=test steps=11 started_at_iter=1',
  ]);
  expect(await p.run('select')).toMatchObject({ code: 2, out: 'select: status=complete' });
  expect(await p.status()).toBe('');
});

test('failures in a row stop the loop; starting anew counts from 0; a judged answer sets it back', async () => {
  const p = await project({
    agent: 'name = "scripted"\nscript = ".runner-script.json"\nmax_failures = 3',
    script: [
      {},
      { actions: [{ exit: 1 }] },
      { answer: answer('retry') },
      { answer: 'nonsense' },
      {},
      { actions: [{ exit: 7 }] },
      {},
    ],
  });
  const ran = await p.run('loop');
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.out.split('\n').at(-1)).toBe('loop: status=error run=test steps=6 started_at_iter=1');
  expect(ran.err).toMatch(/failed 3 times in a row .*exit code 7.*\[AGENT_FAILING\]/u);
  expect(ran.err).toContain('hint: ');
  expect(p.runState()).toMatchObject({ failures_in_a_row: 3, next_iter: 7 });
  expect(await p.run('step')).toMatchObject({ code: 0 });
  expect(p.runState()).toMatchObject({ failures_in_a_row: 1, next_iter: 8 });
});
