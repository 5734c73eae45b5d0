/** A batch as one page that opens from disk and loads nothing else: numbers, plots, and every trial that did not succeed. */
import { renderComparisonBody } from './html-compare.ts';
import { renderFailures, renderHead } from './html-head.ts';
import { variantLabel } from '../cases/names.ts';
import {
  measureWords,
  renderCount,
  renderInterval,
  renderMeasure,
  renderPart,
  renderPercent,
} from './numbers.ts';
import { caseName, nameText, percentTicks, plotList, renderEvalPage, section, table, text } from './page.ts';
import type { Column, LinkOf } from './page.ts';
import { axisEnd, renderLegend, renderOutcomeCells, renderRateStrip, renderSpreadStrip } from './plots.ts';
import type { BatchReport, EvalReport } from './report.ts';
import { evalOutcomes, isJudged, measureNames } from './summary.ts';
import type { CaseSummary, MeasureName, PassRow, TrialGroup, VariantSummary } from './summary.ts';
import type { TrialRecord } from '../cases/types.ts';
import { asTitle, intervalWords, outcomeWords, renderTime, shortName, whyWords } from './words.ts';

export interface PageTools {
  /** SHA-256 in base64. */
  readonly hashOf: (text: string) => string;
  readonly linkOf: LinkOf;
}

export function renderEvalHtml(report: EvalReport, { hashOf, linkOf }: PageTools): string {
  if (report.kind === 'comparison') {
    const { a, b } = report.comparison;
    const body = renderComparisonBody(report.comparison, linkOf);
    return renderEvalPage({ title: `${a.name} against ${b.name}`, body, warnings: report.warnings, hashOf });
  }
  return renderEvalPage({
    title: `Eval ${report.batch_id}`,
    body: batchBody(report, linkOf),
    warnings: report.warnings,
    hashOf,
  });
}

function batchBody(report: BatchReport, linkOf: LinkOf): readonly string[] {
  const { batch_id, created_at, runner_version, planned, missing, summary, trials } = report;
  const { variants, cases } = summary;
  const facts = [
    renderTime(created_at),
    `runner ${runner_version}`,
    ...variantFacts(variants),
    ...(planned === 0 ? [] : [`${renderPart(planned - missing, planned)} ended`]),
  ];
  const isMixed = variants.length > 1;
  return [
    `<header><h1>Eval ${text(batch_id)}</h1>`,
    `<p class="muted">${facts.map(text).join(' · ')}</p></header>`,
    ...renderHead(report, linkOf),
    ...(cases.length === 0
      ? [section('Cases', `<p>${planned === 0 ? noPlan : 'No trial has ended yet.'}</p>`)]
      : caseSections(report, isMixed)),
    ...renderFailures(trials, linkOf),
  ];
}

const noPlan = 'This batch planned no trials. See which cases there are with: <code>runner eval list</code>';

/** More names are in the plot below. */
const namesMax = 4;

function variantFacts(variants: readonly VariantSummary[]): readonly string[] {
  if (variants.length === 0) return [];
  if (variants.length > namesMax) return [renderCount(variants.length, 'variant')];
  return [variants.map(({ variant }) => shortName(variant)).join(', ')];
}

function caseSections(report: BatchReport, isMixed: boolean): readonly string[] {
  const { variants, cases } = report.summary;
  const flaky = cases.filter(({ is_flaky }) => is_flaky);
  return [
    successPlot(cases, isMixed),
    matrix(report, isMixed),
    ...spreadPlot(report, 'duration_secs', isMixed),
    ...spreadPlot(report, 'cost_usd', isMixed),
    section(
      'Cases in numbers',
      table(
        'Cases in numbers',
        groupColumns('Case', 'Variant'),
        cases.map((one) => groupCells([text(one.case_id), nameText(one.variant)], one, one.passes)),
      ),
      '<p class="muted">Rates are over judged trials: solved, failed and stuck. Trial time, tokens and the like are medians, with quartiles in brackets.</p>',
    ),
    ...passTable(variants),
    ...(flaky.length === 0
      ? []
      : [
          section(
            'Flaky cases',
            '<p class="muted">Some repeats are solved and some are not.</p>',
            `<ul>${flaky.map((one) => `<li>${caseName(one.case_id, one.variant)}: ${one.outcomes.success} of ${one.judged} solved</li>`).join('')}</ul>`,
          ),
        ]),
  ];
}

function successPlot(cases: readonly CaseSummary[], isMixed: boolean): string {
  const rows = cases.map((one) => ({
    name: caseName(one.case_id, isMixed ? one.variant : null),
    strip: renderRateStrip(one),
    said:
      one.rate === null
        ? 'nothing judged'
        : `${renderPercent(one.rate)} (${renderInterval(one.interval)}) · ${one.outcomes.success} of ${one.judged} solved`,
  }));
  return section('Solved by case, with 95 % intervals', plotList(rows, percentTicks, true));
}

function trialsOf({ trials }: BatchReport, { case_id, variant }: CaseSummary): readonly TrialRecord[] {
  return trials.filter(({ meta }) => meta.case_id === case_id && variantLabel(meta.variant) === variant);
}

function matrix(report: BatchReport, isMixed: boolean): string {
  const rows = report.summary.cases.map((one) => {
    const cells = trialsOf(report, one).map(({ meta }) => ({
      repeat: meta.repeat,
      outcome: meta.outcome,
      note: `repeat ${meta.repeat}: ${outcomeWords[meta.outcome]}${meta.reason === null ? '' : ` (${whyWords(meta.reason)})`}`,
    }));
    return `<li class="row cell-row"><span class="name">${caseName(one.case_id, isMixed ? one.variant : null)}</span><span class="cells-place">${renderOutcomeCells(cells)}</span></li>`;
  });
  return section('Outcomes, one cell per repeat', `<ul class="rows">${rows.join('\n')}</ul>`, renderLegend());
}

/** Nothing known, no plot. */
function spreadPlot(report: BatchReport, name: MeasureName, isMixed: boolean): readonly string[] {
  const { cases } = report.summary;
  const ends = cases.flatMap(({ spreads }) => spreads[name]?.max ?? []);
  if (ends.length === 0) return [];
  const max = axisEnd(Math.max(...ends), name === 'duration_secs');
  const rows = cases.map((one) => {
    const spread = one.spreads[name];
    const values = trialsOf(report, one)
      .filter(({ meta }) => isJudged(meta.outcome))
      .map(({ meta }) => meta[name])
      .filter((value) => value !== null);
    return {
      name: caseName(one.case_id, isMixed ? one.variant : null),
      strip: renderSpreadStrip({ values, spread, max }),
      said: spreadText(name, one),
    };
  });
  const ticks = [0, 0.5, 1].map((share) => renderMeasure(name, share * max));
  return [
    section(
      `${measureWords[name]}, judged trials`,
      plotList(rows, ticks, name === 'duration_secs'),
      '<p class="muted">A point is a trial; the box reaches from quartile to quartile, the line is the median.</p>',
    ),
  ];
}

/** `42 s (30 s–1 min 10 s)`. */
function spreadText(name: MeasureName, { spreads }: TrialGroup): string {
  const spread = spreads[name];
  if (spread === null) return '–';
  if (spread.count === 1) return renderMeasure(name, spread.median);
  return `${renderMeasure(name, spread.median)} (${renderMeasure(name, spread.q1)}–${renderMeasure(name, spread.q3)})`;
}

function groupColumns(...names: readonly string[]): readonly Column[] {
  const outcomes = evalOutcomes.slice(1).map((outcome) => asTitle(outcomeWords[outcome]));
  const numbers = ['Solved', 'Rate', asTitle(intervalWords), ...outcomes, 'pass@k', 'pass^k'];
  return [
    ...names.map((name) => ({ name })),
    ...[...numbers, ...measureNames.map((name) => measureWords[name])].map((name) => ({
      name,
      isNumber: true as const,
    })),
  ];
}

function groupCells(
  names: readonly string[],
  group: TrialGroup,
  passes: readonly PassRow[],
): readonly string[] {
  const { outcomes, judged, rate, interval } = group;
  const last = passes.at(-1);
  const pass = (value: number | undefined): string =>
    last === undefined || value === undefined ? '–' : text(`${renderPercent(value)} (k=${last.k})`);
  return [
    ...names,
    `${outcomes.success} of ${judged}`,
    text(renderPercent(rate)),
    renderInterval(interval),
    ...evalOutcomes.slice(1).map((outcome) => String(outcomes[outcome])),
    pass(last?.pass_at),
    pass(last?.pass_hat),
    ...measureNames.map((name) => spreadText(name, group)),
  ];
}

/** With one repeat both equal the rate, which is already shown. */
function passTable(variants: readonly VariantSummary[]): readonly string[] {
  const rows = variants.flatMap(({ variant, passes }) =>
    passes
      .filter(({ k }) => k > 1)
      .map((row) => [
        nameText(variant),
        String(row.k),
        text(renderPercent(row.pass_at)),
        text(renderPercent(row.pass_hat)),
        String(row.cases),
      ]),
  );
  if (rows.length === 0) return [];
  const numbers = ['k', 'pass@k', 'pass^k', 'Cases'].map((name) => ({ name, isNumber: true as const }));
  return [
    section(
      'pass@k and pass^k',
      table('pass@k and pass^k', [{ name: 'Variant' }, ...numbers], rows),
      '<p class="muted">pass@k: the chance that at least one of k trials is solved; pass^k: that all of them are. Means over the cases with k judged trials.</p>',
    ),
  ];
}
