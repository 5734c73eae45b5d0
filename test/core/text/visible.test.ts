import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hidden } from '../../../src/core/text/terminal-text.ts';
import { cutText, renderVisible, splitVisible } from '../../../src/core/text/visible.ts';

describe('splitVisible', () => {
  test.each([
    ['plain', [['plain', false]]],
    ['', []],
    [
      'a\u202Eb',
      [
        ['a', false],
        ['U+202E', true],
        ['b', false],
      ],
    ],
    ['\u200B\u200B\u200B', [['U+200B×3', true]]],
    ['\u001B', [['U+001B', true]]],
    ['\u{E0041}', [['U+E0041', true]]],
    ['✔\uFE0F ok', [['✔\uFE0F ok', false]]],
    ['line\n\tnext', [['line\n\tnext', false]]],
  ])('%j', (text, pieces) => {
    expect(splitVisible(text).map((piece) => [piece.text, piece.isMark])).toEqual(pieces);
  });

  test('nothing hidden is left, and nothing seen is lost', () => {
    const arbText = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(arbText, (text) => {
        const pieces = splitVisible(text);
        for (const piece of pieces) expect(piece.text.replaceAll('\uFE0F', '')).not.toMatch(hidden);
        const seen = Array.from(text).filter((char) => !hidden.test(char));
        const shown = pieces.filter((piece) => !piece.isMark).map((piece) => piece.text);
        expect(shown.join('').replaceAll('\uFE0F', '')).toBe(seen.join(''));
      }),
    );
  });
});

test('cutText never leaves half of a character', () => {
  expect(cutText('a🙂b', 4)).toEqual({ text: 'a🙂b', left: 0 });
  expect(cutText('a🙂b', 3)).toEqual({ text: 'a🙂', left: 1 });
  expect(cutText('a🙂b', 2)).toEqual({ text: 'a', left: 3 });
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.integer({ min: 1, max: 30 }),
      (text, max) => {
        const cut = cutText(text, max);
        expect(cut.text.length + cut.left).toBe(text.length);
        expect(cut.text.length).toBeLessThanOrEqual(max);
        expect(cut.text).not.toMatch(/\p{Surrogate}/u);
      },
    ),
  );
});

test('as one text the names stand in brackets', () => {
  expect(renderVisible('a\u202Eb\u200B\u200B')).toBe('a⟨U+202E⟩b⟨U+200B×2⟩');
  expect(renderVisible('plain')).toBe('plain');
  expect(renderVisible('')).toBe('');
});

describe('stacked marks', () => {
  const mark = '\u0301';
  test('as many as scripts need stay; the rest is counted', () => {
    expect(splitVisible(`e${mark.repeat(6)}x`)).toEqual([{ text: `e${mark.repeat(6)}x`, isMark: false }]);
    expect(splitVisible(`a\u202Ee${mark.repeat(40)}x`)).toEqual([
      { text: 'a', isMark: false },
      { text: 'U+202E', isMark: true },
      { text: `e${mark.repeat(6)}`, isMark: false },
      { text: '+34 marks', isMark: true },
      { text: 'x', isMark: false },
    ]);
  });

  test('no text stacks more', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', mark, '\u0489', '\u200b', '🙂')), (chars) => {
        const shown = splitVisible(chars.join(''))
          .filter(({ isMark }) => !isMark)
          .map(({ text }) => text);
        for (const text of shown) expect(text).not.toMatch(/[\p{Mn}\p{Me}]{7}/u);
      }),
    );
  });
});
