import { expect, test } from 'vitest';
import { hasMark, parseAmount } from '../../../src/core/proof/check-description.ts';

test('amounts are numbers as they are written; what is none stays', () => {
  expect([null, '12', '0.25', '1e-7', 'many', '-1', ''].map(parseAmount)).toEqual([
    null,
    12,
    0.25,
    1e-7,
    'many',
    '-1',
    '',
  ]);
});

test('marks', () => {
  expect(hasMark(new Map([['Mark', ['a', 'b']]]), 'b')).toBe(true);
  expect(hasMark(new Map(), 'b')).toBe(false);
});
