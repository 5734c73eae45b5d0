/** Ids of new nodes (§5): the lowest free numbers, the same every time. */
import { expect, test } from 'vitest';
import { freeIds } from '../../../src/core/tree/child-ids.ts';
import { node } from '../../support/trees.ts';

test('numbers that the tree or a folder has are left out, ignoring case', () => {
  const tree = node('A', { children: [node('a.1')] });
  const nextId = freeIds({ tree, parentId: 'A', takenIds: ['a.3'], sha256: () => 'f'.repeat(64) });
  expect([nextId(), nextId(), nextId()]).toEqual(['A.2', 'A.4', 'A.5']);
});

test('an id that would be too long ends in a hash', () => {
  const parentId = 'x'.repeat(127);
  const nextId = freeIds({ tree: node('root'), parentId, takenIds: [], sha256: () => 'f'.repeat(64) });
  expect(nextId()).toBe(`${'x'.repeat(100)}-${'f'.repeat(16)}`);
});
