/** The sentence of a comparison says what the numbers say. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderVerdict } from '../../../src/eval/report/verdict.ts';
import { discordantPairsNeeded, exactMcNemar } from '../../../src/eval/report/statistics.ts';
import { fuzzCases } from '../../support/fuzz.ts';

function sentenceOf(only_a: number, only_b: number, alike = 0): string {
  const p = exactMcNemar(only_a, only_b);
  const total = only_a + only_b + alike;
  return renderVerdict({
    names: { a: 'old', b: 'new' },
    pairs: { total, both: alike, only_a, only_b, neither: 0 },
    p,
    verdict: total === 0 ? 'no pairs' : p < 0.05 ? 'difference' : 'noise',
    ahead: only_a === only_b ? null : only_a > only_b ? 'a' : 'b',
    pairs_needed: discordantPairsNeeded(only_a, only_b),
  });
}

test.each([
  [0, 0, 0, 'Nothing can be said: there is no case and repeat that was judged on both sides.'],
  [
    0,
    0,
    5,
    'No difference: every pair ended alike (exact McNemar test over 5 pairs, p > 0.99). At least 6 would have to flip, all one way.',
  ],
  [
    1,
    7,
    32,
    'The difference is within noise: of 8 pairs that flipped, 7 succeeded only in B and 1 only in A (exact McNemar test over 40 pairs, p = 0.070). With such a split about 12 flipped pairs would be needed to tell (p < 0.05); there are 8.',
  ],
  [
    40,
    2,
    58,
    'The difference is more than noise: A (old) is better; of 42 pairs that flipped, 2 succeeded only in B and 40 only in A (exact McNemar test over 100 pairs, p < 0.001).',
  ],
  [
    1,
    1,
    0,
    'The difference is within noise: of 2 pairs that flipped, 1 succeeded only in B and 1 only in A (exact McNemar test over 2 pairs, p > 0.99). As many flipped one way as the other, so more pairs like these would not tell either.',
  ],
  [
    500,
    501,
    0,
    'The difference is within noise: of 1001 pairs that flipped, 501 succeeded only in B and 500 only in A (exact McNemar test over 1001 pairs, p > 0.99). With such a split more than 10000 flipped pairs would be needed to tell.',
  ],
  [
    0,
    1,
    0,
    'The difference is within noise: of 1 pair that flipped, 1 succeeded only in B and 0 only in A (exact McNemar test over 1 pair, p > 0.99). With such a split about 6 flipped pairs would be needed to tell (p < 0.05); there are 1.',
  ],
])('%i only in A, %i only in B, %i alike', (only_a, only_b, alike, sentence) => {
  expect(sentenceOf(only_a, only_b, alike)).toBe(sentence);
});

test('it never calls noise a difference', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.nat(60), (only_a, only_b, alike) => {
      const sentence = sentenceOf(only_a, only_b, alike);
      const isDifferent = exactMcNemar(only_a, only_b) < 0.05;
      expect(sentence.startsWith('The difference is more than noise')).toBe(isDifferent);
      if (isDifferent)
        expect(sentence).toContain(only_a > only_b ? 'A (old) is better' : 'B (new) is better');
    }),
    fuzzCases(300),
  );
});
