import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isIterationFile, lastSessionLog } from '../../../src/core/views/iteration-files.ts';

test.each(['prompt.md', 'guard.log', 'meta.json', 'executor.log', 'executor.log-1', 'review.json-12'])(
  '%s may be asked for',
  (name) => expect(isIterationFile(name)).toBe(true),
);

test.each([
  '',
  'executor.log-0',
  'executor.log-01',
  'executor.log-',
  'meta.json-1',
  'kept',
  '../meta.json',
  'a/executor.log-1',
])('%j may not', (name) => expect(isIterationFile(name)).toBe(false));

test('no name that may be asked for leads out of its folder', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      if (isIterationFile(name)) expect(name).toMatch(/^[a-z_.]+(?:-[0-9]+)?$/u);
    }),
  );
});

test.each([
  [[], 'executor.log'],
  [['executor.log'], 'executor.log'],
  [['executor.log', 'executor.log-1'], 'executor.log'],
  [['executor.log-1', 'executor.log-10', 'executor.log-9', 'prompt.md'], 'executor.log-10'],
])('the log of the last session: %j', (names, expected) => {
  expect(lastSessionLog(names.map((name) => ({ name })))).toBe(expected);
});
