/** Long files in an exported page: cut at lines, with a line that says so, and no half secret at the cut. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderExportText } from '../../../src/core/views/export-text.ts';

const same = (text: string): string => text;

test('a short file is whole', () => {
  expect(renderExportText({ bytes: 3, head: 'a\nb', tail: null, bytesBetween: 0 }, same)).toEqual({
    text: 'a\nb',
    bytes: 3,
    bytes_cut: 0,
  });
});

test('a long one is cut at lines', () => {
  const file = { bytes: 100, head: 'one\ntwo\nthr', tail: 'ee\nfour\nfive\n', bytesBetween: 76 };
  expect(renderExportText(file, same)).toEqual({
    text: 'one\ntwo\n[76 bytes and the lines around them were left out of this page]\nfour\nfive\n',
    bytes: 100,
    bytes_cut: 76,
  });
});

test('a line that never ends is cut far enough from the seam', () => {
  const long = 'x'.repeat(5000);
  const { text } = renderExportText(
    { bytes: 20_000, head: `a\n${long}`, tail: `${long}\nb`, bytesBetween: 1 },
    same,
  );
  expect(text.startsWith(`a\n${'x'.repeat(2952)}\n[1 bytes`)).toBe(true);
  expect(text.endsWith(`]\n${'x'.repeat(2952)}\nb`)).toBe(true);
  const short = renderExportText({ bytes: 9, head: 'abc', tail: 'def', bytesBetween: 3 }, same);
  expect(short.text).toBe('\n[3 bytes and the lines around them were left out of this page]\n');
});

test('every part goes through the redactor', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (head, tail) => {
      const seen: string[] = [];
      renderExportText({ bytes: 9, head: `${head}\n`, tail: `x\n${tail}`, bytesBetween: 1 }, (text) => {
        seen.push(text);
        return '';
      });
      expect(seen).toEqual([head, tail]);
    }),
  );
});
