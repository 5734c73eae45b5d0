import { expect, test } from 'vitest';
import { differ, first, problem } from '../../../src/core/proof/problem.ts';

test('equal values are no problem, others are shown as short text', () => {
  expect(differ('r', { a: 1, b: [2] }, { b: [2], a: 1 })).toBeNull();
  expect(differ('r', 'text', { a: 1 })).toEqual({ rule: 'r', expected: 'text', found: '{"a":1}' });
  expect(problem('r', 'x'.repeat(5000), '').expected.length).toBeLessThan(500);
});

test('the first problem ends the checks', () => {
  const never = (): never => {
    throw new Error('asked');
  };
  expect(
    first(
      () => null,
      () => problem('r', 'a', 'b'),
      never,
    ),
  ).toMatchObject({ rule: 'r' });
  expect(first(() => null)).toBeNull();
});
