/**
 * Renders a comparison as one plain sentence: whether the difference is more than noise and, if not, how many pairs it would
 * take. It decides nothing.
 */
import { renderCount, renderP } from './numbers.ts';
import { discordantPairsMax } from './statistics.ts';

/** Pairs of trials by who succeeded. */
export interface PairCounts {
  readonly total: number;
  readonly both: number;
  readonly only_a: number;
  readonly only_b: number;
  readonly neither: number;
}

export type Verdict = 'difference' | 'noise' | 'no pairs';

export interface VerdictFacts {
  readonly names: { readonly a: string; readonly b: string };
  readonly pairs: PairCounts;
  readonly p: number;
  readonly verdict: Verdict;
  readonly ahead: 'a' | 'b' | null;
  readonly pairs_needed: number | null;
}

export function renderVerdict(facts: VerdictFacts): string {
  const { pairs, p, verdict, ahead, names } = facts;
  const { only_a, only_b, total } = pairs;
  if (verdict === 'no pairs')
    return 'Nothing can be said: there is no case and repeat that was judged on both sides.';

  const test = `exact McNemar test over ${renderCount(total, 'pair')}, p ${renderP(p)}`;
  if (only_a + only_b === 0)
    return `No difference: every pair ended alike (${test}). At least 6 would have to flip, all one way.`;

  const split = `of ${renderCount(only_a + only_b, 'pair')} that flipped, ${only_b} succeeded only in B and ${only_a} only in A`;
  if (verdict === 'difference' && ahead !== null)
    return `The difference is more than noise: ${ahead.toUpperCase()} (${names[ahead]}) is better; ${split} (${test}).`;

  return `The difference is within noise: ${split} (${test}). ${renderNeeded(facts)}`;
}

function renderNeeded({ ahead, pairs, pairs_needed }: VerdictFacts): string {
  if (ahead === null)
    return 'As many flipped one way as the other, so more pairs like these would not tell either.';
  if (pairs_needed === null)
    return `With such a split more than ${discordantPairsMax} flipped pairs would be needed to tell.`;

  return `With such a split about ${pairs_needed} flipped pairs would be needed to tell (p < 0.05); there are ${pairs.only_a + pairs.only_b}.`;
}
