/** The two sides of a comparison as rows of a table, for people: rates first, then what they cost and took. */
import type { EvalComparison, Side } from './compare.ts';
import {
  measureWords,
  renderClustered,
  renderCost,
  renderInterval,
  renderMeasure,
  renderPercent,
} from './numbers.ts';
import { evalOutcomes } from './summary.ts';
import { asTitle, clusteredWords, intervalWords, outcomeWords } from './words.ts';

export interface SideRow {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

/** A side's own trials may be others than its pairs, on which the verdict rests. */
export function rateRows({ a, b, pairs }: EvalComparison): readonly SideRow[] {
  const row = (name: string, tell: (side: Side) => string): SideRow => ({ name, a: tell(a), b: tell(b) });
  const overPairs = (solved: number): string => shareOf(solved, pairs.total);
  return [
    {
      name: 'Solved, over the pairs',
      a: overPairs(pairs.both + pairs.only_a),
      b: overPairs(pairs.both + pairs.only_b),
    },
    row('Solved, over all judged trials', ({ outcomes, judged }) => shareOf(outcomes.success, judged)),
    row(intervalWords, ({ interval }) => renderInterval(interval)),
    row(clusteredWords, renderClustered),
    ...evalOutcomes
      .slice(1)
      .map((outcome) => row(asTitle(outcomeWords[outcome]), ({ outcomes }) => String(outcomes[outcome]))),
  ];
}

function shareOf(solved: number, total: number): string {
  return total === 0 ? '–' : `${renderPercent(solved / total)} (${solved} of ${total})`;
}

export function spentRows({ a, b, medians }: EvalComparison): readonly SideRow[] {
  return [
    { name: 'Total cost', a: renderCost(a), b: renderCost(b) },
    {
      name: 'Total trial time',
      a: renderMeasure('duration_secs', a.took_secs),
      b: renderMeasure('duration_secs', b.took_secs),
    },
    ...medians.map((row) => ({
      name: `Median ${measureWords[row.name].toLowerCase()}`,
      a: renderMeasure(row.name, row.a),
      b: renderMeasure(row.name, row.b),
    })),
  ];
}

export const spentNote = 'Totals are of all trials, medians of judged trials.';
