/** Every malformed rule of §5, one iteration each in one run: recorded, counted, told, and nothing of the tree taken over. */
import { expect, test } from 'vitest';
import type { TreeNode } from '../../src/core/types.ts';
import { answer, child, project, write } from '../support/project.ts';
import type { ScriptStep } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';
import { sampled } from '../support/whole.ts';

const tree = node('root', {
  children: [
    node('past', { passes: true, attempts: 1 }),
    node('work', { order: 1, max_attempts: 99 }),
    node('group', {
      order: 2,
      children: [node('group.open'), node('group.past', { order: 1, passes: true })],
    }),
    node('later', { order: 3 }),
  ],
});

function edit(...edits: readonly unknown[]): unknown {
  return { tree: { edits } };
}

function deep(levels: number): TreeNode {
  return levels === 1 ? node('deep.1') : node(`deep.${levels}`, { children: [deep(levels - 1)] });
}

interface Case {
  readonly name: string;
  readonly said: unknown;
  readonly edits?: readonly unknown[];
  /** What the log and the next session are told. */
  readonly told: string;
}

const cases = sampled<Case>(
  [
    {
      name: 'a passed node differs',
      edits: [{ id: 'past', set: { title: 'other' } }],
      said: answer('retry'),
      told: "root/past: passed node 'past' changed: title",
    },
    {
      name: 'a passed node is open again',
      edits: [{ id: 'group.past', set: { passes: false } }],
      said: answer('retry'),
      told: "root/group/group.past: passed node 'group.past' changed: passes",
    },
    {
      name: 'a passed node has another order key',
      edits: [{ id: 'past', set: { order: 7 } }],
      said: answer('retry'),
      told: "passed node 'past' changed: order",
    },
    {
      name: 'a passed node is missing',
      edits: [{ remove: 'past' }],
      said: answer('done'),
      told: "passed node 'past' is missing",
    },
    {
      name: 'a passed node has moved',
      edits: [{ remove: 'past' }, { id: 'group', add: [node('past', { passes: true, attempts: 1 })] }],
      said: answer('done'),
      told: "passed node 'past' moved from parent 'root' to 'group'",
    },
    {
      name: 'an open node was removed',
      edits: [{ remove: 'later' }],
      said: answer('done'),
      told: "open node 'later' was removed",
    },
    {
      name: 'an open internal node is left without an open descendant',
      edits: [{ remove: 'group.open' }, { id: 'root', add: [node('group.open', { order: 9 })] }],
      said: answer('retry'),
      told: "open internal node 'group' is left without an open descendant",
    },
    {
      name: 'another open leaf gained children',
      edits: [{ id: 'later', add: [node('later.1')] }],
      said: answer('retry'),
      told: "open leaf 'later' gained children",
    },
    {
      name: 'the selected node is gone, another one in its place',
      edits: [{ remove: 'work' }, { id: 'root', add: [node('work-2', { order: 1 })] }],
      said: answer('decomposed'),
      told: "the selected node 'work' is gone",
    },
    {
      name: 'done with children in the tree',
      edits: [{ id: 'work', add: [node('work.1')] }],
      said: answer('done'),
      told: "status=done, but 'work' gained children: work.1",
    },
    {
      name: 'retry with children in the tree',
      edits: [{ id: 'work', add: [node('work.1')] }],
      said: answer('retry'),
      told: "status=retry, but 'work' gained children: work.1",
    },
    {
      name: 'done with children in the answer',
      said: answer('done', 'x', [child('a')]),
      told: 'status=done with a list of children in the answer',
    },
    {
      name: 'retry with children in the answer',
      said: answer('retry', 'x', [child('a')]),
      told: 'status=retry with a list of children in the answer',
    },
    ...['title', 'goal'].map((key) => ({
      name: `done with a changed ${key}`,
      edits: [{ id: 'work', set: { [key]: 'something easier' } }],
      said: answer('done'),
      told: "status=done, but title, goal or acceptance of 'work' changed",
    })),
    {
      name: 'done with a changed acceptance',
      edits: [{ id: 'work', set: { acceptance: ['less'] } }],
      said: answer('done'),
      told: "status=done, but title, goal or acceptance of 'work' changed",
    },
    {
      name: 'decomposed without children',
      said: answer('decomposed'),
      told: "status=decomposed, but 'work' gained no children",
    },
    {
      name: 'decomposed with an empty list',
      said: answer('decomposed', 'x', []),
      told: 'status=decomposed with an empty list of children',
    },
    {
      name: 'decomposed with children in both places',
      edits: [{ id: 'work', add: [node('work.1')] }],
      said: answer('decomposed', 'x', [child('a')]),
      told: 'status=decomposed with children both in the answer and in tree.json',
    },
    {
      name: 'decomposed with an open node moved in as a child',
      edits: [{ remove: 'later' }, { id: 'work', add: [node('later', { order: 3 })] }],
      said: answer('decomposed'),
      told: "open node 'later' moved to a place that was not an internal node before",
    },
    {
      name: 'a title over its limit',
      edits: [{ id: 'later', set: { title: 'é'.repeat(101) } }],
      said: answer('retry'),
      told: 'root/later: title is longer than 200 bytes',
    },
    {
      name: 'goal and acceptance over their limit',
      said: answer('decomposed', 'x', [
        { title: 'a', goal: 'g'.repeat(8000), acceptance: ['b'.repeat(193)] },
      ]),
      told: 'root/work/work.1: goal and acceptance together are longer than 8192 bytes',
    },
    {
      name: 'a tree that is too deep',
      edits: [{ id: 'work', add: [deep(63)] }],
      said: answer('decomposed'),
      told: 'is on level 65; at most 64 are allowed',
    },
    {
      name: 'a summary over its limit',
      said: answer('retry', 's'.repeat(8193)),
      told: 'summary is longer than 8192 bytes',
    },
  ],
  3,
);

function stepOf({ edits, said }: Case, index: number): ScriptStep {
  const work = write(`work-${index + 1}.txt`, `work ${index + 1}\n`);
  return { actions: edits === undefined ? [work] : [work, edit(...edits)], answer: said };
}

test('every malformed rule: retry/skipped, one attempt, baseline tree, work kept, the exact error told', async () => {
  const p = await project({
    tree,
    script: [...cases.map(stepOf), { answer: answer('retry', 'the end') }],
    config: `max_iterations = ${cases.length + 1}`,
  });
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(1);
  for (const [index, { name, told, edits }] of cases.entries()) {
    const iter = index + 1;
    const record = await recorded(p, iter);
    expect.soft(record, name).toMatchObject({ status: 'retry', guard: 'skipped', node: 'work' });
    expect.soft(record.attempts, name).toBe(iter);
    expect.soft(withoutAttempts(record.tree), name).toEqual(withoutAttempts(tree));
    expect.soft(record.errorLog, name).toMatch(/^agent_error\.log: /u);
    expect.soft(record.errorLog, name).toContain(told);
    expect.soft(record.last, name).toMatchObject({ iter, summary: null, guard_output: null });
    expect.soft(record.last?.error, name).toContain(told);
    expect.soft(p.log(iter + 1, 'prompt.md'), name).toContain(told);
    expect.soft(record.runState, name).toMatchObject({ failures_in_a_row: 0, last_summary: null });
    expect.soft(await record.file(`work-${iter}.txt`), name).toBe(`work ${iter}`);
    const kept = JSON.parse(p.log(iter, 'tree.agent.json')) as TreeNode;
    if (edits !== undefined) expect.soft(kept, name).not.toEqual(JSON.parse(p.log(iter, 'tree.before.json')));
  }
  expect(await p.git('rev-list', '--count', 'main..HEAD')).toBe(String(cases.length + 2));
  const lines = ran.out.split('\n');
  expect(lines[0]).toBe('loop: step run=test iter=1 node=work status=retry guard=skipped');
  const next = cases.length + 2;
  expect(lines.at(-1)).toBe(
    `loop: status=limit run=test next_iter=${next} max_iterations=${next - 1} steps=${next - 1} started_at_iter=1`,
  );
  expect(ran.err).toContain('[ITERATION_LIMIT]');
});

function withoutAttempts(root: TreeNode): unknown {
  return JSON.parse(JSON.stringify(root, (key, value: unknown) => (key === 'attempts' ? 0 : value)));
}

test('tree.allow_removal lets open nodes go; runner-owned keys are never the agent’s', async () => {
  const p = await project({
    tree,
    config: '[tree]\nallow_removal = true\n',
    script: [
      {
        actions: [
          edit(
            { remove: 'later' },
            { id: 'work', set: { passes: true, attempts: 98, max_attempts: 1000 } },
            {
              id: 'group',
              add: [{ id: 'fresh', order: 5, title: 't', goal: 'g', acceptance: [], children: [] }],
            },
          ),
        ],
        answer: answer('retry'),
      },
    ],
  });
  expect((await p.run('step')).code).toBe(0);
  const record = await recorded(p, 1);
  expect(record).toMatchObject({ status: 'retry', attempts: 1 });
  expect(record.tree.children.map(({ id, passes, max_attempts }) => ({ id, passes, max_attempts }))).toEqual([
    { id: 'past', passes: true, max_attempts: 3 },
    { id: 'work', passes: false, max_attempts: 99 },
    { id: 'group', passes: false, max_attempts: 3 },
  ]);
  expect(record.tree.children[2]?.children[2]).toMatchObject({
    id: 'fresh',
    passes: false,
    attempts: 0,
    max_attempts: 3,
  });
});
