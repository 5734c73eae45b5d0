/** The board of a tree. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardColumns, listLeaves } from '../../../src/core/views/board.ts';
import { arbTree, node } from '../../support/trees.ts';

test('every leaf is in one column', () => {
  const tree = node('root', {
    children: [
      node('a', { passes: true }),
      node('b', { attempts: 1 }),
      node('c', { attempts: 3 }),
      node('d'),
      node('e'),
    ],
  });
  const states = listLeaves(tree, 'e').map(({ id, state }) => `${id} ${state}`);
  expect(states).toEqual(['a passed', 'b retrying', 'c stuck', 'd open', 'e at_work']);
  expect(listLeaves(tree, 'a')[0]).toMatchObject({ state: 'passed' });
  fc.assert(
    fc.property(arbTree(), (any) => {
      for (const { state } of listLeaves(any, any.id)) expect(boardColumns).toContain(state);
    }),
  );
});
