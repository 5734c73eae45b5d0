/** Ranges of bytes: by table, and any header against what it must mean. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRange } from '../../../src/core/text/byte-range.ts';

test.each([
  [null, 10, { kind: 'all' }],
  ['bytes=0-3', 10, { kind: 'part', start: 0, end: 3 }],
  ['bytes=4-', 10, { kind: 'part', start: 4, end: 9 }],
  ['bytes=4-99', 10, { kind: 'part', start: 4, end: 9 }],
  ['bytes=-3', 10, { kind: 'part', start: 7, end: 9 }],
  ['bytes=-99', 10, { kind: 'part', start: 0, end: 9 }],
  [' bytes=1-1 ', 10, { kind: 'part', start: 1, end: 1 }],
  ['bytes=-0', 10, { kind: 'none' }],
  ['bytes=10-', 10, { kind: 'none' }],
  ['bytes=3-2', 10, { kind: 'none' }],
  ['bytes=-', 10, { kind: 'none' }],
  ['bytes=0-', 0, { kind: 'none' }],
  ['bytes=0-1,3-4', 10, { kind: 'none' }],
  ['items=0-1', 10, { kind: 'none' }],
  ['bytes=1e3-', 10, { kind: 'none' }],
])('%s of %d bytes', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range);
});

test('a part always lies inside the file', () => {
  const number = fc.oneof(fc.constant(''), fc.nat(), fc.maxSafeNat()).map(String);
  const header = fc.oneof(
    fc.string(),
    fc.tuple(number, number).map(([a, b]) => `bytes=${a}-${b}`),
  );
  fc.assert(
    fc.property(header, fc.nat(), (text, size) => {
      const range = parseRange(text, size);
      expect(range.kind).not.toBe('all');
      if (range.kind !== 'part') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(size);
    }),
  );
});
