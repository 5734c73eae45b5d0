import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineReader } from '../../../src/adapters/files/line-reader.ts';
import { fuzzCases } from '../../support/fuzz.ts';

test('lines come whole, however the text is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), fc.array(fc.nat(5)), (text, cuts) => {
      const lines: string[] = [];
      const read = lineReader((line) => lines.push(line));
      let at = 0;
      for (const length of cuts) {
        read(text.slice(at, at + length));
        at += length;
      }
      read(text.slice(at));
      expect(lines).toEqual(text.split('\n').slice(0, -1));
    }),
    fuzzCases(300),
  );
});

test('a flood without newlines is not kept', () => {
  const lines: number[] = [];
  const read = lineReader((line) => lines.push(line.length));
  for (let turn = 0; turn < 40; turn += 1) read('x'.repeat(1024 * 1024));

  read('\nshort\n');
  expect(lines).toEqual([32 * 1024 * 1024, 5]);
});
