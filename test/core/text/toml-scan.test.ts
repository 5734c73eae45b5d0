/** The scanner of TOML statements: offsets on valid texts, and neither loops nor errors on any other. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanInlineTable, scanToml } from '../../../src/core/text/toml-scan.ts';

test('tables, keys and values where they stand', () => {
  const text = 'a.b = 1979-05-27 07:32:00 # x\n[[ t."u v" ]]\nc = { d = [1, {}], e = "}" }\n[w]';
  const [top, listed, last] = scanToml(text);
  expect(top).toMatchObject({ path: [], bodyStart: 0, entries: [{ path: ['a', 'b'] }] });
  const date = top?.entries[0];
  expect(text.slice(date?.valueStart, date?.valueEnd)).toBe('1979-05-27 07:32:00');
  expect(listed?.path).toEqual(['t', 'u v']);
  const inline = listed?.entries[0];
  expect(inline?.path).toEqual(['t', 'u v', 'c']);
  const inner = scanInlineTable(text, { start: inline?.valueStart ?? 0, path: inline?.path ?? [] });
  expect(inner.entries.map(({ valueStart, valueEnd }) => text.slice(valueStart, valueEnd))).toEqual([
    '[1, {}]',
    '"}"',
  ]);
  expect(text[inner.end]).toBe('}');
  expect(last).toMatchObject({ path: ['w'], bodyStart: text.length, end: text.length });
});

test('a value may go over lines, with remarks and bare words in it', () => {
  const text = 'a = [ # ]\n  true,\n  "]", # "\n]\nb = 1';
  const entries = scanToml(text)[0]?.entries ?? [];
  expect(entries.map(({ valueStart, valueEnd }) => text.slice(valueStart, valueEnd))).toEqual([
    '[ # ]\n  true,\n  "]", # "\n]',
    '1',
  ]);
  expect(scanToml('a = [1,')[0]?.entries[0]?.valueEnd).toBe('a = [1,'.length);
});

test('any text at all is gone through once', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '"""',
    "'''",
    '=',
    '.',
    '#',
    ',',
    '\\',
    '\n',
    ' ',
    'a',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (any) => {
      const tables = scanToml(any);
      expect(tables.at(-1)?.end).toBe(any.length);
      for (const { entries } of tables) {
        for (const { start, valueStart, valueEnd } of entries) {
          expect(valueEnd).toBeGreaterThan(start);
          expect(valueEnd).toBeLessThanOrEqual(any.length);
          expect(valueStart).toBeGreaterThan(start - 1);
          scanInlineTable(any, { start, path: [] });
        }
      }
    }),
  );
});
