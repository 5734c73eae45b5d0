/** The body of a comparison page: the verdict first, then its evidence. The markup is made here; text from outside is escaped. */
import { groupLeftOut } from './compare.ts';
import type { EvalComparison } from './compare.ts';
import { measureWords, renderCount, renderInterval, renderMeasure, renderPercent } from './numbers.ts';
import { percentTicks, plotList, section, table, text } from './page.ts';
import { renderRateStrip } from './plots.ts';
import { renderNotes } from './html-head.ts';
import { compareNotes } from './notes.ts';
import { evalOutcomes } from './summary.ts';
import { wilsonInterval } from './statistics.ts';

export function renderComparisonBody(comparison: EvalComparison): readonly string[] {
  const { a, b, verdict, sentence } = comparison;
  return [
    `<header><h1>${text(a.name)} <span class="muted">(A) against</span> ${text(b.name)} <span class="muted">(B)</span></h1></header>`,
    ...renderNotes(compareNotes(comparison)),
    `<section class="verdict ${verdict.replace(' ', '-')}"><h2>Verdict</h2><p>${text(sentence)}</p></section>`,
    sides(comparison),
    ratePlot(comparison),
    flips(comparison),
    ...differences(comparison),
    ...leftOut(comparison),
  ];
}

function sides({ a, b, pairs, medians }: EvalComparison): string {
  const rows = [a, b].map((side, index) => [
    `${index === 0 ? 'A' : 'B'} · ${text(side.name)}`,
    `${side.outcomes.success}/${side.judged}`,
    text(renderPercent(side.rate)),
    renderInterval(side.interval),
    renderInterval(side.clustered),
    ...evalOutcomes.slice(1).map((outcome) => String(side.outcomes[outcome])),
    ...medians.map((row) => renderMeasure(row.name, index === 0 ? row.a : row.b)),
  ]);
  const names = [
    'Success',
    'Rate',
    '95 %',
    '95 %, cases cluster',
    ...evalOutcomes.slice(1),
    ...medians.map(({ name }) => measureWords[name]),
  ];
  return section(
    'Both sides',
    table(
      'Both sides',
      [{ name: 'Side' }, ...names.map((name) => ({ name, isNumber: true as const }))],
      rows,
    ),
    `<p class="muted">${renderCount(pairs.total, 'pair')}: ${pairs.both} succeeded in both, ${pairs.only_a} only in A, ${pairs.only_b} only in B, ${pairs.neither} in neither. Numbers are medians of judged trials.</p>`,
  );
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
        strip: renderRateStrip(mark),
        said: `${successes}/${pairs} · ${renderPercent(mark.rate)} (${renderInterval(mark.interval)})`,
      };
    }),
  );
  return section('Success by case over the pairs, with 95 % intervals', plotList(rows, percentTicks));
}

function flips({ cases }: EvalComparison): string {
  const flipped = cases.filter(({ gained, lost }) => gained.length + lost.length > 0);
  if (flipped.length === 0) return section('Flips', '<p>No case flipped.</p>');
  const numbers = ['Pairs', 'A', 'B'].map((name) => ({ name, isNumber: true as const }));
  const repeats = (list: readonly number[]): string =>
    list.length === 0 ? '–' : `repeat ${list.join(', ')}`;
  return section(
    'Flips',
    table(
      'Flips',
      [{ name: 'Case' }, ...numbers, { name: 'Only B succeeded' }, { name: 'Only A succeeded' }],
      flipped.map((one) => [
        text(one.case_id),
        ...[one.pairs, one.success_a, one.success_b].map(String),
        repeats(one.gained),
        repeats(one.lost),
      ]),
    ),
  );
}

function differences({ differences: found }: EvalComparison): readonly string[] {
  if (found.length === 0) return [];
  return [
    section(
      'What differs',
      table(
        'What differs',
        [{ name: 'What' }, { name: 'Case' }, { name: 'A' }, { name: 'B' }],
        found.map((one) => [
          text(one.what),
          text(one.case_id ?? 'all'),
          text(one.a.join(', ')),
          text(one.b.join(', ')),
        ]),
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
        groupLeftOut(left_out).map((one) => [text(one.case_id), text(one.why), one.repeats.join(', ')]),
      ),
    ),
  ];
}
