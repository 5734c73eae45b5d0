import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderUtc } from '../../../src/core/text/utc-text.ts';

function byDate(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}

test('every second from 1970 to 9999 as the calendar has it', () => {
  for (const day of ['2000-02-29', '2024-02-29', '2100-02-28', '2100-03-01', '2026-12-31', '2027-01-01'])
    expect(renderUtc(Date.parse(`${day}T23:59:59Z`))).toBe(`${day}T23:59:59Z`);

  fc.assert(
    fc.property(fc.nat({ max: 253_402_300_799 }), fc.nat({ max: 999 }), (seconds, ms) => {
      expect(renderUtc(seconds * 1000 + ms)).toBe(byDate(seconds * 1000));
    }),
  );
});

test('what no calendar has is told as the nearest it has', () => {
  expect(renderUtc(-1)).toBe('1970-01-01T00:00:00Z');
  expect(renderUtc(1e300)).toBe('9999-12-31T23:59:59Z');
  expect(renderUtc(Number.POSITIVE_INFINITY)).toBe('9999-12-31T23:59:59Z');
});
