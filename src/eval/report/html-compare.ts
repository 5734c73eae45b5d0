/** The body of a comparison page: the verdict first, then its evidence. The markup is made here; text from outside is escaped. */
import { groupLeftOut } from './compare.ts';
import type { CaseFlips, EvalComparison, Flip } from './compare.ts';
import { renderDifferences } from './differences.ts';
import { renderCount, renderInterval, renderPercent } from './numbers.ts';
import { link, nameText, percentTicks, plotList, section, table, text, trialLinks } from './page.ts';
import type { LinkOf } from './page.ts';
import { renderRateStrip } from './plots.ts';
import { renderNotes } from './html-head.ts';
import { compareNotes } from './notes.ts';
import { rateRows, spentNote, spentRows } from './sides.ts';
import type { SideRow } from './sides.ts';
import { wilsonInterval } from './statistics.ts';
import { restsOnFewCases } from './verdict.ts';
import { asTitle, intervalsNote, leftOutWords, whyWords } from './words.ts';

export function renderComparisonBody(comparison: EvalComparison, linkOf: LinkOf): readonly string[] {
  const { a, b, verdict, sentence } = comparison;
  const look = restsOnFewCases(comparison) ? 'few-cases' : verdict.replace(' ', '-');
  return [
    `<header><h1>${nameText(a.name)} <span class="muted">(A) against</span> ${nameText(b.name)} <span class="muted">(B)</span></h1></header>`,
    ...renderNotes(compareNotes(comparison)),
    `<section class="verdict ${look}"><h2>Verdict</h2><p>${text(sentence)}</p></section>`,
    ...differences(comparison),
    ...sides(comparison),
    ratePlot(comparison),
    flips(comparison, linkOf),
    ...flippedTrials(comparison, linkOf),
    ...leftOut(comparison),
  ];
}

function sides(comparison: EvalComparison): readonly string[] {
  const { pairs } = comparison;
  const columns = [
    { name: 'What' },
    { name: 'A', isNumber: true as const },
    { name: 'B', isNumber: true as const },
  ];
  const cells = (row: SideRow): readonly string[] => [asTitle(row.name), row.a, row.b].map(text);
  return [
    section(
      'Both sides',
      table('Both sides', columns, rateRows(comparison).map(cells)),
      `<p class="muted">${renderCount(pairs.total, 'pair')}: ${pairs.both} solved in both, ${pairs.only_a} only in A, ${pairs.only_b} only in B, ${pairs.neither} in neither. The verdict rests on the pairs; the intervals are of all judged trials. ${intervalsNote}</p>`,
    ),
    section(
      'Cost and time',
      table('Cost and time', columns, spentRows(comparison).map(cells)),
      `<p class="muted">${spentNote}</p>`,
    ),
  ];
}

function ratePlot({ cases }: EvalComparison): string {
  const rows = cases.flatMap(({ case_id, pairs, success_a, success_b }) =>
    (
      [
        ['A', success_a],
        ['B', success_b],
      ] as const
    ).map(([side, successes]) => {
      const mark = { rate: successes / pairs, interval: wilsonInterval(successes, pairs) };
      return {
        name: `${text(case_id)} <small>${side}</small>`,
        strip: renderRateStrip({ ...mark, isHollow: side === 'B' }),
        said: `${renderPercent(mark.rate)} (${renderInterval(mark.interval)}) · ${successes} of ${pairs} solved`,
      };
    }),
  );
  return section(
    'Solved by case over the pairs, with 95 % intervals',
    plotList(rows, percentTicks, true),
    '<p class="muted">The full point is A, the hollow one B.</p>',
  );
}

function flips({ cases }: EvalComparison, linkOf: LinkOf): string {
  const flipped = cases.filter((one) => one.flips.length > 0);
  if (flipped.length === 0) return section('Flips', '<p>No case flipped.</p>');
  const numbers = ['Pairs', 'Solved in A', 'Solved in B'].map((name) => ({ name, isNumber: true as const }));
  const repeats = (one: CaseFlips, side: Flip['solved_in']): string => {
    const own = one.flips.filter(({ solved_in }) => solved_in === side);
    return own.length === 0
      ? '–'
      : own.map((flip) => link(`#${flip.repeat}`, linkOf(failedResults(flip)))).join(', ');
  };
  return section(
    'Flips',
    table(
      'Flips',
      [{ name: 'Case' }, { name: 'Solved only in A' }, { name: 'Solved only in B' }, ...numbers],
      flipped.map((one) => [
        text(one.case_id),
        repeats(one, 'a'),
        repeats(one, 'b'),
        ...[one.pairs, one.success_a, one.success_b].map(String),
      ]),
    ),
    '<p class="muted">A number is a repeat, and leads to the results of the side that did not solve it.</p>',
  );
}

function failedResults({ solved_in, results_a, results_b }: Flip): string {
  return solved_in === 'a' ? results_b : results_a;
}

/** A page with more would be slow to open; the others are in the JSON. */
const flipsMax = 300;

function flippedTrials({ cases }: EvalComparison, linkOf: LinkOf): readonly string[] {
  const all = cases.flatMap(({ case_id, flips: own }) => own.map((flip) => ({ case_id, flip })));
  if (all.length === 0) return [];
  const left = all.length - flipsMax;
  return [
    section(
      'Trials that decide',
      ...all.slice(0, flipsMax).map(({ case_id, flip }) => flippedTrial(case_id, flip, linkOf)),
      ...(left > 0 ? [`<p class="muted">${left} more are left out of this page.</p>`] : []),
    ),
  ];
}

function flippedTrial(case_id: string, flip: Flip, linkOf: LinkOf): string {
  const { repeat, solved_in, results_a, results_b, why, logs } = flip;
  const [good, bad] = solved_in === 'a' ? ['A', 'B'] : ['B', 'A'];
  const lines = [
    { words: 'results in A', dir: results_a, logs: solved_in === 'b' ? logs : [] },
    { words: 'results in B', dir: results_b, logs: solved_in === 'a' ? logs : [] },
  ].map((one) => trialLinks(one, linkOf));
  return `<details><summary>${text(case_id)} #${repeat} · solved in ${good}; ${bad}: ${text(whyWords(why))}</summary><ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul></details>`;
}

function differences({ differences: found }: EvalComparison): readonly string[] {
  if (found.length === 0) return [];
  return [
    section(
      'What differs',
      table(
        'What differs',
        [{ name: 'What' }, { name: 'A' }, { name: 'B' }, { name: 'Case' }],
        renderDifferences(found).map((row) => [row.what, row.a, row.b, row.where].map(text)),
      ),
    ),
  ];
}

function leftOut({ left_out }: EvalComparison): readonly string[] {
  if (left_out.length === 0) return [];
  return [
    section(
      'Left out',
      '<p class="muted">Trials that count for neither side: there is no judged partner of the same case and repeat.</p>',
      table(
        'Left out',
        [{ name: 'Case' }, { name: 'Why' }, { name: 'Repeats' }],
        groupLeftOut(left_out).map((one) => [
          text(one.case_id),
          text(leftOutWords(one.why)),
          one.repeats.join(', '),
        ]),
      ),
    ),
  ];
}
