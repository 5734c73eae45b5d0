/**
 * Renders a comparison as a few plain sentences: whether the difference is more than noise, over how many cases and, if not, how many
 * pairs it would take. It decides nothing.
 */
import { renderCount, renderP } from './numbers.ts';
import { discordantPairsMax, significanceMax } from './statistics.ts';

/** Pairs of trials by who succeeded. */
export interface PairCounts {
  readonly total: number;
  readonly both: number;
  readonly only_a: number;
  readonly only_b: number;
  readonly neither: number;
  /** Cases with a pair. */
  readonly cases: number;
  readonly cases_flipped: number;
  /** Of the exact sign-flip test over the cases: repeats of one case are not taken as independent. */
  readonly p_cases: number;
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

/** The test over pairs is sound for these cases; only the one over cases says something about others. */
export function restsOnFewCases({ verdict, pairs }: Pick<VerdictFacts, 'verdict' | 'pairs'>): boolean {
  return verdict === 'difference' && pairs.p_cases >= significanceMax;
}

export function renderVerdict(facts: VerdictFacts): string {
  const { pairs, verdict, ahead, names } = facts;
  const { only_a, only_b, cases, cases_flipped } = pairs;
  if (verdict === 'no pairs')
    return 'Nothing can be said: there is no case and repeat that was judged on both sides.';

  const test = renderTest(facts);
  if (only_a + only_b === 0)
    return `No difference: every pair ended alike (${test}). At least 6 would have to flip, all one way.`;

  const where = `in ${cases_flipped} of ${renderCount(cases, 'case')}`;
  const split = `of ${renderCount(only_a + only_b, 'pair')} that flipped, ${only_b} ${only_b === 1 ? 'was' : 'were'} solved only in B and ${only_a} only in A, ${where} (${test}).`;
  if (verdict === 'noise' || ahead === null)
    return `The difference is within noise: ${split} ${renderNeeded(facts)}`;

  const winner = `${ahead.toUpperCase()} (${names[ahead]})`;
  if (restsOnFewCases(facts))
    return `The difference is more than noise for these cases, where ${winner} solved more, but it rests on too few cases to call it better on others: ${split} More cases would tell; more repeats of these would not.`;

  return `The difference is more than noise: ${winner} is better; ${split}`;
}

/** With one repeat of each case both tests are the same. */
function renderTest({ pairs, p }: VerdictFacts): string {
  const test = `exact McNemar test over ${renderCount(pairs.total, 'pair')}`;
  if (pairs.total === pairs.cases || pairs.only_a + pairs.only_b === 0) return `${test}, p ${renderP(p)}`;
  return `${test}, repeats of one case counted as independent: p ${renderP(p)}; exact sign-flip test over cases: p ${renderP(pairs.p_cases)}`;
}

function renderNeeded({ ahead, pairs, pairs_needed }: VerdictFacts): string {
  if (ahead === null)
    return 'As many flipped one way as the other, so more pairs like these would not tell either.';
  if (pairs_needed === null)
    return `With such a split more than ${discordantPairsMax} flipped pairs would be needed to tell.`;

  return `With such a split about ${pairs_needed} flipped pairs would be needed to tell (p < 0.05); there are ${pairs.only_a + pairs.only_b}.`;
}
