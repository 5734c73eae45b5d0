import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderTree } from '../../../src/core/tree/canonical-json.ts';
import { byteLength } from '../../../src/core/text/shorten.ts';
import { treeDiskBytes } from '../../../src/core/tree/tree-bytes.ts';
import { walkTree } from '../../../src/core/tree/tree-walk.ts';
import { arbTree, node } from '../../support/trees.ts';

test('is what each node takes as JSON, indented, and an end of children and a separator more', () => {
  fc.assert(
    fc.property(arbTree(), (tree) => {
      const visits = walkTree(tree);
      const bytes = visits.map(({ node: one, depth }) => {
        const text = JSON.stringify({ ...one, children: [] }, null, 2);
        return byteLength(text) + (text.split('\n').length + 1) * 4 * (depth - 1) + 5;
      });
      expect(treeDiskBytes(visits)).toBe(bytes.reduce((sum, one) => sum + one, 0));
    }),
  );
});

test('is never less than the file takes, and little more', () => {
  fc.assert(
    fc.property(arbTree(), (tree) => {
      const visits = walkTree(tree);
      const written = byteLength(renderTree(tree));
      expect(treeDiskBytes(visits)).toBeGreaterThanOrEqual(written);
      expect(treeDiskBytes(visits)).toBeLessThanOrEqual(written + visits.length * (5 + 4 * 8));
    }),
  );
});

test('halves of characters count as the escapes they become', () => {
  const [whole, half] = ['😀', '\ud83d'].map((title) => treeDiskBytes(walkTree(node('a', { title }))));
  expect(Number(half) - Number(whole)).toBe(2);
});
