/** `decomposed`, by answer and by tree: ids, orders, attempts, what is left of the old leaf, and where selection goes (§3, §5). */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, child, project, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

test('children of the answer get free ids in their order; the tree file works too; nodes pass from below', async () => {
  const long = 'L'.repeat(127);
  const p = await project({
    config: 'max_attempts_default = 7\nmax_iterations = 20',
    tree: node('root', {
      children: [
        node('work', { attempts: 1 }),
        node('other', { order: 1, children: [node('WORK.1', { max_attempts: 5 })] }),
        node(long, { order: 2 }),
      ],
    }),
    script: [
      { answer: answer('retry', 'too large') },
      {
        actions: [write('notes.md', 'n\n')],
        answer: answer('decomposed', 'split it', [child('first'), child('second')]),
      },
      {
        actions: [
          {
            tree: {
              edits: [
                {
                  id: 'work.3',
                  add: [
                    { id: 'zeta', order: 5, title: 'z', goal: 'z', acceptance: [], children: [] },
                    node('alpha', { order: -5, passes: true, attempts: 2, max_attempts: 99 }),
                  ],
                },
              ],
            },
          },
        ],
        answer: answer('decomposed', 'by tree'),
      },
      ...['1', '2', '3', '4'].map((name) => ({ actions: [write(name, '.\n')], answer: answer('done') })),
      { answer: answer('decomposed', 'long', [child('only')]) },
      { actions: [write('5', '.\n')], answer: answer('done') },
    ],
  });
  p.put('.runner/nodes/work.2/context.md', 'a node that once was\n');
  await p.commitAll();
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);

  const first = await recorded(p, 2);
  expect(first).toMatchObject({
    status: 'decomposed',
    guard: 'skipped',
    node: 'work',
    attempts: 2,
    last: null,
  });
  expect(first.tree.children[0]).toEqual({
    ...node('work', { attempts: 2 }),
    children: [
      {
        ...node('work.3', { max_attempts: 7 }),
        title: 'first',
        goal: 'first goal',
        acceptance: ['first works'],
      },
      {
        ...node('work.4', { order: 1, max_attempts: 7 }),
        title: 'second',
        goal: 'second goal',
        acceptance: ['second works'],
      },
    ],
  });
  expect(first.trailers, 'a work file makes it no mere decomposition').toContain('Mode: execute');
  expect(await first.file('notes.md')).toBe('n');
  expect(existsSync(join(p.dir, '.runner/iterations/test/2/guard.log'))).toBe(false);

  const second = await recorded(p, 3);
  expect(second).toMatchObject({ status: 'decomposed', node: 'work.3', attempts: 0 });
  expect(second.trailers).toContain('Mode: decompose');
  expect(second.meta.mode).toBe('decompose');
  expect(second.tree.children[0]?.children[0]?.children).toEqual([
    node('alpha', { order: -5, max_attempts: 7 }),
    { ...node('zeta', { order: 5, max_attempts: 7 }), title: 'z', goal: 'z' },
  ]);

  const nodes = ran.out
    .split('\n')
    .map((line) => / node=(\S+) status=(\S+)/u.exec(line)?.slice(1, 3).join(' '));
  const hash = createHash('sha256').update(`${long}.1`).digest('hex').slice(0, 16);
  expect(nodes).toEqual([
    'work retry',
    'work decomposed',
    'work.3 decomposed',
    'alpha done',
    'zeta done',
    'work.4 done',
    'WORK.1 done',
    `${long} decomposed`,
    `${'L'.repeat(100)}-${hash} done`,
    undefined,
  ]);
  const passed = await recorded(p, 6);
  expect(passed.tree.children[0], 'the whole branch passes with its last leaf').toMatchObject({
    passes: true,
    attempts: 2,
    children: [{ passes: true }, { passes: true }],
  });
});
