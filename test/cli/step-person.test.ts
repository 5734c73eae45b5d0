/** People between two steps (§1.3, §2): what they commit is the new baseline, and the runner says so. */
import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { node } from '../support/trees.ts';

test('a tree that a person commits is the new baseline, and step says so', async () => {
  const p = await project({
    tree: node('root', { children: [node('a'), node('b', { order: 1 })] }),
    script: ['1', '2', '3'].map((name) => ({ actions: [write(name, '.\n')], answer: answer('done') })),
  });
  const first = await p.run('step');
  expect(first.out).toBe('step: run=test iter=1 node=a status=done guard=pass');
  expect(first.err).not.toContain('tree.json');
  const reopened = node('root', { children: [node('a', { title: 'once more' }), node('c', { order: 1 })] });
  p.put('.runner/state/tree.json', `${JSON.stringify(reopened, null, 2)}\n`);
  await p.commitAll('a person thinks again');
  const again = await p.run('step');
  expect(again.out, 'a passed node is open again, another one is gone').toBe(
    'step: run=test iter=2 node=a status=done guard=pass',
  );
  expect(
    (await recorded(p, 2)).tree.children.map(({ id, title, passes }) => ({ id, title, passes })),
  ).toEqual([
    { id: 'a', title: 'once more', passes: true },
    { id: 'c', title: 'c title', passes: false },
  ]);
  expect((await p.run('step')).err, "the runner's own tree is no news").not.toContain('tree.json');
  expect(again.err).toMatch(/^ *note: .*tree\.json/mu);
});
