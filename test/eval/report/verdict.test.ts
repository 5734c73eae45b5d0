/** The sentence of a comparison says what the numbers say. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderVerdict, restsOnFewCases } from '../../../src/eval/report/verdict.ts';
import type { PairCounts } from '../../../src/eval/report/verdict.ts';
import { discordantPairsNeeded, exactMcNemar } from '../../../src/eval/report/statistics.ts';
import { fuzzCases } from '../../support/fuzz.ts';

type Cases = Pick<PairCounts, 'cases' | 'cases_flipped' | 'p_cases'>;

/** Without cases: one repeat of each. */
function factsOf(only_a: number, only_b: number, alike = 0, over?: Cases) {
  const p = exactMcNemar(only_a, only_b);
  const total = only_a + only_b + alike;
  const cases = over ?? { cases: total, cases_flipped: only_a + only_b, p_cases: p };
  return {
    names: { a: 'old', b: 'new' },
    pairs: { total, both: alike, only_a, only_b, neither: 0, ...cases },
    p,
    verdict: total === 0 ? 'no pairs' : p < 0.05 ? 'difference' : 'noise',
    ahead: only_a === only_b ? null : only_a > only_b ? 'a' : 'b',
    pairs_needed: discordantPairsNeeded(only_a, only_b),
  } as const;
}

function sentenceOf(...input: Parameters<typeof factsOf>): string {
  return renderVerdict(factsOf(...input));
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
    'The difference is within noise: of 8 pairs that flipped, 7 were solved only in B and 1 only in A, in 8 of 40 cases (exact McNemar test over 40 pairs, p = 0.070). With such a split about 12 flipped pairs would be needed to tell (p < 0.05); there are 8.',
  ],
  [
    40,
    2,
    58,
    'The difference is more than noise: A (old) is better; of 42 pairs that flipped, 2 were solved only in B and 40 only in A, in 42 of 100 cases (exact McNemar test over 100 pairs, p < 0.001).',
  ],
  [
    1,
    1,
    0,
    'The difference is within noise: of 2 pairs that flipped, 1 was solved only in B and 1 only in A, in 2 of 2 cases (exact McNemar test over 2 pairs, p > 0.99). As many flipped one way as the other, so more pairs like these would not tell either.',
  ],
  [
    500,
    501,
    0,
    'The difference is within noise: of 1001 pairs that flipped, 501 were solved only in B and 500 only in A, in 1001 of 1001 cases (exact McNemar test over 1001 pairs, p > 0.99). With such a split more than 10000 flipped pairs would be needed to tell.',
  ],
  [
    0,
    1,
    0,
    'The difference is within noise: of 1 pair that flipped, 1 was solved only in B and 0 only in A, in 1 of 1 case (exact McNemar test over 1 pair, p > 0.99). With such a split about 6 flipped pairs would be needed to tell (p < 0.05); there are 1.',
  ],
])('%i only in A, %i only in B, %i alike', (only_a, only_b, alike, sentence) => {
  expect(sentenceOf(only_a, only_b, alike)).toBe(sentence);
});

test('repeats of one case: both tests are told, and a side is called better only if the cases say so', () => {
  const many = { cases: 10, cases_flipped: 9, p_cases: 0.004 };
  expect(sentenceOf(2, 40, 58, many)).toBe(
    'The difference is more than noise: B (new) is better; of 42 pairs that flipped, 40 were solved only in B and 2 only in A, in 9 of 10 cases (exact McNemar test over 100 pairs, repeats of one case counted as independent: p < 0.001; exact sign-flip test over cases: p = 0.004).',
  );
  const one = { cases: 8, cases_flipped: 1, p_cases: 1 };
  expect(sentenceOf(0, 10, 30, one)).toBe(
    'The difference is more than noise for these cases, where B (new) solved more, but it rests on too few cases to call it better on others: of 10 pairs that flipped, 10 were solved only in B and 0 only in A, in 1 of 8 cases (exact McNemar test over 40 pairs, repeats of one case counted as independent: p = 0.002; exact sign-flip test over cases: p > 0.99). More cases would tell; more repeats of these would not.',
  );
  expect(restsOnFewCases(factsOf(0, 10, 30, one))).toBe(true);
  expect(restsOnFewCases(factsOf(0, 10, 30, many))).toBe(false);
  expect(restsOnFewCases(factsOf(0, 1, 30, one))).toBe(false);
  expect(sentenceOf(1, 7, 32, one)).toContain('counted as independent: p = 0.070; exact sign-flip');
});

test('it never calls noise a difference', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.nat(60), fc.boolean(), (only_a, only_b, alike, isFew) => {
      const few = { cases: 2, cases_flipped: 1, p_cases: 1 };
      const sentence = isFew ? sentenceOf(only_a, only_b, alike, few) : sentenceOf(only_a, only_b, alike);
      const isDifferent = exactMcNemar(only_a, only_b) < 0.05;
      expect(sentence.startsWith('The difference is more than noise')).toBe(isDifferent);
      expect(sentence.includes('is better')).toBe(isDifferent && !isFew);
      const winner = only_a > only_b ? 'A (old)' : 'B (new)';
      if (isDifferent) expect(sentence).toContain(`${winner} ${isFew ? 'solved more' : 'is better'}`);
    }),
    fuzzCases(300),
  );
});
