/** Places in texts: from 1, and back again with the file in front. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeAt, renderProblem, withPath } from '../../../src/core/text/text-place.ts';

test.each([
  ['', 0, 1, 1],
  ['abc', 2, 1, 3],
  ['a\nb', 1, 1, 2],
  ['a\nb', 2, 2, 1],
  ['a\r\n\nb', 4, 3, 1],
])('%j at %i: line %i, column %i', (text, index, line, column) => {
  expect(placeAt(text, index)).toEqual({ line, column });
});

test('line and column lead back to the index', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '\n', 'ü') }), fc.nat(50), (text, at) => {
      const index = Math.min(at, text.length);
      const { line, column } = placeAt(text, index);
      const before = text.split('\n').slice(0, line - 1);
      expect(before.reduce((sum, part) => sum + part.length + 1, 0) + column - 1).toBe(index);
    }),
  );
});

test('a problem with a place gets the path in front, one without stays as it is', () => {
  const problem = renderProblem({ line: 3, column: 7 }, 'line 1, column 1: twice');
  expect(problem).toBe('line 3, column 7: line 1, column 1: twice');
  expect(withPath('a $& b.json', problem)).toBe('a $& b.json:3:7: line 1, column 1: twice');
  expect(withPath('x', 'root: missing key')).toBe('root: missing key');
});
