import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  continuationsAtStart,
  firstInvalidByte,
  unfinishedAtEnd,
} from '../../../src/adapters/files/utf8-bytes.ts';
import { fuzzCases } from '../../support/fuzz.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('firstInvalidByte', () => {
  test.each([
    ['c328', 0],
    ['61c3', 1],
    ['e282ac80', 3],
    ['eda080', 0],
    ['f4908080', 0],
    ['c080', 0],
    ['61', 1],
    ['', 0],
  ])('%s: %i', (hex, at) => {
    expect(firstInvalidByte(Buffer.from(hex, 'hex'))).toBe(at);
  });

  test('finds one bad byte after any valid text, however long', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 5000 }), text, (unit, times, after) => {
        const before = Buffer.from(unit.repeat(times));
        const bytes = Buffer.concat([before, Buffer.from([0xff]), Buffer.from(after)]);
        expect(firstInvalidByte(bytes)).toBe(before.length);
      }),
      fuzzCases(200),
    );
  });
});

test('cutting at any byte: both halves become valid by leaving out what the two functions say', () => {
  fc.assert(
    fc.property(text, fc.nat(), (whole, at) => {
      const bytes = Buffer.from(whole);
      const cut = bytes.length === 0 ? 0 : at % bytes.length;
      const head = bytes.subarray(0, cut);
      const tail = bytes.subarray(cut);
      const kept = head.subarray(0, head.length - unfinishedAtEnd(head));
      const rest = tail.subarray(continuationsAtStart(tail));
      expect(isUtf8(kept) && isUtf8(rest)).toBe(true);
      expect(bytes.length - kept.length - rest.length).toBeLessThanOrEqual(4);
    }),
  );
});

test('bytes that are not UTF-8 lose at most three', () => {
  const noise = Buffer.alloc(100, 0x80);
  expect(continuationsAtStart(noise)).toBe(3);
  expect(unfinishedAtEnd(noise)).toBe(0);
});
