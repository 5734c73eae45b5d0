import { expect, test } from 'vitest';
import { isObject } from '../../../src/core/text/is-object.ts';

test.each<[unknown, boolean]>([
  [{}, true],
  [{ children: [] }, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [0, false],
  [true, false],
])('%j is an object: %j', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
