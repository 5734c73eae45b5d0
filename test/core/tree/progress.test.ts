import fc from 'fast-check';
import { expect, test } from 'vitest';
import { progressOf, renderBar } from '../../../src/core/tree/progress.ts';
import { node } from '../../support/trees.ts';

test('only leaves count', () => {
  expect(progressOf(node('root'))).toEqual({ passed: 0, total: 1 });
  const tree = node('root', {
    children: [
      node('a', { passes: true, children: [node('b', { passes: true }), node('c', { passes: true })] }),
      node('d'),
    ],
  });
  expect(progressOf(tree)).toEqual({ passed: 2, total: 3 });
});

test.each([
  [0, 3, '[----------]'],
  [1, 3, '[###-------]'],
  [2, 3, '[######----]'],
  [3, 3, '[##########]'],
  [0, 0, '[----------]'],
])('%i of %i', (passed, total, bar) => {
  expect(renderBar({ passed, total }, 10)).toBe(bar);
});

test('a bar has its width, and is full only when everything passed', () => {
  const counts = fc
    .integer({ min: 1, max: 1000 })
    .chain((total) => fc.record({ total: fc.constant(total), passed: fc.integer({ min: 0, max: total }) }));
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 40 }), (progress, width) => {
      const bar = renderBar(progress, width);
      expect(bar).toHaveLength(width + 2);
      expect(bar.includes('-')).toBe(progress.passed < progress.total);
    }),
  );
});
