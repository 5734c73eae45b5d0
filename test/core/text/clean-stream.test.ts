import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanStream } from '../../../src/core/text/clean-stream.ts';
import { cleanText } from '../../../src/core/text/terminal-text.ts';
import { arbWild } from '../../support/events.ts';

function cleaned(pieces: readonly string[]): string {
  const stream = cleanStream();
  return [...pieces.map((piece) => stream.add(piece)), stream.end()].join('');
}

test('a sequence that is cut between two pieces is still taken out', () => {
  expect(cleaned(['red \u001B[3', '1mtext\u001B', '[0m\nmo', 're'])).toBe('red text\nmore');
  expect(cleaned(['a\r', '\nb'])).toBe('a\nb');
  expect(cleaned([])).toBe('');
});

test('lines are handed on as soon as they are whole', () => {
  const stream = cleanStream();
  expect(stream.add('one\ntw')).toBe('one\n');
  expect(stream.add('o')).toBe('');
  expect(stream.end()).toBe('two');
});

test('a line without an end is not held', () => {
  const stream = cleanStream();
  const piece = 'x'.repeat(64 * 1024);
  let shown = 0;
  for (let count = 0; count < 64; count += 1) shown += stream.add(piece).length;
  expect(shown).toBeGreaterThan(2 * 1024 * 1024);
  expect(shown + stream.end().length).toBe(64 * piece.length);
});

test('however it is cut, line by line the same is shown, and nothing that acts', () => {
  fc.assert(
    fc.property(fc.array(arbWild, { maxLength: 6 }), (pieces) => {
      const shown = cleaned(pieces);
      expect(shown).toBe(cleaned([...pieces.join('').split(/(?<=\n)/u)]));
      expect(shown).not.toMatch(/[^\P{Cc}\n\t]/u);
    }),
  );
  expect(cleaned(['plain \t text\n'])).toBe(cleanText('plain \t text\n'));
});
