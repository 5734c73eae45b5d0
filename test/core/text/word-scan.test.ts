/** All words are found, wherever they begin and whatever they overlap with. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordScanner } from '../../../src/core/text/word-scan.ts';

function found(words: readonly string[], text: string): string[] {
  const hits: string[] = [];
  wordScanner(words)(text, (word, start) => hits.push(`${start} ${word}`));
  return hits.toSorted();
}

function foundOneByOne(words: readonly string[], text: string): string[] {
  const lower = text.toLowerCase();
  return words
    .flatMap((word, index) =>
      Array.from({ length: text.length }, (_, at) => at)
        .filter((at) => lower.startsWith(word.toLowerCase(), at))
        .map((at) => `${at} ${index}`),
    )
    .toSorted();
}

test('as if each word was looked for alone', () => {
  const word = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'B', 'c', '-') });
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 12 }),
      fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'A', 'b', 'C', '-', 'z', '\n') }),
      (words, text) => {
        expect(found(words, text)).toEqual(foundOneByOne(words, text));
      },
    ),
  );
});

test('words inside words, and characters of any kind', () => {
  expect(found(['she', 'he', 'hers'], 'usHers')).toEqual(['1 0', '2 1', '2 2']);
  expect(found(['é1', '→a'], 'É1 é1 →a')).toEqual(['3 0', '6 1']);
});
