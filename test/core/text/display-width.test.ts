import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutToWidth, displayWidth } from '../../../src/core/text/display-width.ts';

const anyText = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '~',
    'é',
    'e\u0301',
    '漢',
    '한',
    'ｱ',
    '！',
    '😀',
    '🇩',
    '…',
    '·',
    'ก็',
    '\u200d',
  ),
  maxLength: 60,
});

describe('displayWidth', () => {
  test.each([
    ['', 0],
    ['plain ~', 7],
    ['é · …', 5],
    ['e\u0301', 1],
    ['漢字', 4],
    ['한글', 4],
    ['ﾊﾝ', 2],
    ['！', 2],
    ['😀', 2],
    ['✅ done', 7],
    ['a\u200db', 2],
    ['\u{20000}', 2],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe('cutToWidth', () => {
  test.each([
    ['fits', 4, 'fits'],
    ['too long', 5, 'too …'],
    ['漢字漢', 5, '漢字…'],
    ['漢字漢', 4, '漢…'],
    ['漢', 1, '…'],
    ['ab', 1, '…'],
    ['a', 0, ''],
    ['a', -3, ''],
    ['', 0, ''],
  ])('%j in %i columns', (text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut);
  });

  test('is never wider, and keeps what fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 70 }), (text, columns) => {
        const cut = cutToWidth(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        if (displayWidth(text) <= columns && columns > 0) expect(cut).toBe(text);
        else if (columns > 0) expect(text.startsWith(cut.slice(0, -1))).toBe(true);
      }),
    );
  });
});
