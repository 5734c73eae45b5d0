import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  layRows,
  lineLengthMax,
  markFound,
  searchLines,
  textOf,
} from '../../../src/web/iteration/log-rows.ts';
import type { AnsiLine } from '../../../src/web/iteration/ansi.ts';

const line = (...texts: readonly string[]): AnsiLine => texts.map((text, at) => ({ text, cls: `fg${at}` }));
const arbLine = fc.array(fc.string({ maxLength: 30 }), { maxLength: 4 }).map((texts) => line(...texts));

describe('rows', () => {
  test('without wrapping a line is a row, and the rest of a long one is counted', () => {
    const rows = layRows([line('a', 'b'), line('x'.repeat(lineLengthMax + 7))], null);
    expect(rows.count).toBe(2);
    expect(rows.rowAt(0)).toEqual({ line: 0, from: 0, left: 0, spans: line('a', 'b') });
    expect(rows.rowAt(1)).toMatchObject({ left: 7 });
    expect(rows.firstRowOf(1)).toBe(1);
  });

  test('with wrapping nothing is lost, and every line begins where it says', () => {
    fc.assert(
      fc.property(
        fc.array(arbLine, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (lines, columns) => {
          const rows = layRows(lines, columns);
          const all = Array.from({ length: rows.count }, (_, index) => rows.rowAt(index));
          for (const [index, one] of lines.entries()) {
            const own = all.filter((row) => row.line === index);
            expect(own.map(({ spans }) => textOf(spans)).join('')).toBe(textOf(one));
            expect(rows.rowAt(rows.firstRowOf(index))).toMatchObject({ line: index, from: 0 });
          }
          for (const { spans } of all) expect(textOf(spans).length).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('search', () => {
  test('the lines that hold the words, in any case, over colours', () => {
    expect(searchLines([line('one ER', 'ROR'), line('two'), line('an Error')], 'error')).toEqual([0, 2]);
    expect(searchLines([line('one')], '')).toEqual([]);
  });

  test('what was found is marked in its spans', () => {
    expect(
      markFound(line('an er', 'ror, Error'), 'error').map(({ text, isFound }) => [text, isFound]),
    ).toEqual([
      ['an ', false],
      ['er', true],
      ['ror', true],
      [', ', false],
      ['Error', true],
    ]);
    // Its lower case is longer.
    expect(markFound(line('\u0130 error'), 'error')).toEqual([
      { text: '\u0130 error', cls: 'fg0', isFound: false },
    ]);
  });

  test('marking changes no text', () => {
    fc.assert(
      fc.property(arbLine, fc.string({ maxLength: 3 }), (one, words) => {
        expect(textOf(markFound(one, words))).toBe(textOf(one));
      }),
    );
  });
});
