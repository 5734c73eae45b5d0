/**
 * The beginning of a batch's page, what a reader decides on: is it whole, what could not be judged, the rate of each variant with its
 * intervals, cost and time, and why trials failed. At its end every failed trial, with links to its logs.
 */
import { variantLabel } from '../cases/names.ts';
import { failedTrials, listLogs, renderWhy } from './failures.ts';
import type { FailureGroup } from './failures.ts';
import { noteLines } from './notes.ts';
import { renderInterval, renderMeasure, renderPercent } from './numbers.ts';
import { caseName, percentTicks, plotList, section, table, text } from './page.ts';
import { renderRateStrip } from './plots.ts';
import type { BatchReport } from './report.ts';
import type { VariantSummary } from './summary.ts';
import type { TrialRecord } from '../cases/types.ts';
import { escapeHtml } from '../../core/text/markup.ts';

/** The address of a file or folder of results, for the page that will be written. */
export type LinkOf = (path: string) => string;

/** A page with more would be slow to open; the others are in the JSON. */
const failuresMax = 300;
const reasonsMax = 10;

export function renderNotes(notes: readonly string[]): readonly string[] {
  if (notes.length === 0) return [];
  return [`<section class="notes">${notes.map((note) => `<p>${text(note)}</p>`).join('')}</section>`];
}

export function renderHead(report: BatchReport, linkOf: LinkOf): readonly string[] {
  const { variants } = report.summary;
  if (variants.length === 0) return renderNotes(noteLines(report));
  return [...renderNotes(noteLines(report)), rates(variants), ...reasons(variants, linkOf)];
}

function rates(variants: readonly VariantSummary[]): string {
  const rows = variants.map((one) => ({
    name: text(one.variant),
    strip: renderRateStrip(one),
    said:
      one.rate === null
        ? 'nothing judged'
        : `${renderPercent(one.rate)} (${renderInterval(one.interval)}) · ${one.outcomes.success} of ${one.judged} solved`,
  }));
  const numbers = [
    'Rate',
    '95 %',
    '95 %, cases cluster',
    'Solved',
    'Harness errors',
    'Skipped',
    'Cost',
    'Time',
    'Median time',
  ];
  return section(
    'Success, with 95 % intervals',
    plotList(rows, percentTicks, true),
    table(
      'Variants',
      [{ name: 'Variant' }, ...numbers.map((name) => ({ name, isNumber: true as const }))],
      variants.map((one) => [
        text(one.variant),
        text(renderPercent(one.rate)),
        renderInterval(one.interval),
        renderInterval(one.clustered),
        `${one.outcomes.success} of ${one.judged}`,
        ...[one.outcomes.error, one.outcomes.skipped].map(String),
        renderMeasure('cost_usd', one.spent.cost_usd),
        renderMeasure('duration_secs', one.took_secs),
        renderMeasure('duration_secs', one.spreads.duration_secs?.median ?? null),
      ]),
    ),
    '<p class="muted">Solved: of the judged trials, those that succeeded; a trial that ran out of iterations or time, or whose agent crashed, is not solved. The first interval takes all trials as independent. Trials of one case resemble each other; the second takes that into account.</p>',
  );
}

function reasons(variants: readonly VariantSummary[], linkOf: LinkOf): readonly string[] {
  const row = (variant: string, kind: string, { why, trials, results }: FailureGroup): readonly string[] => [
    text(variant),
    kind,
    text(why),
    String(trials),
    results.map((dir, index) => link(`trial ${index + 1}`, linkOf(dir))).join(', '),
  ];
  const rows = variants.flatMap(({ variant, failures, errors }) => [
    ...failures.slice(0, reasonsMax).map((group) => row(variant, 'not solved', group)),
    ...errors.slice(0, reasonsMax).map((group) => row(variant, 'harness error', group)),
  ]);
  if (rows.length === 0) return [];
  const columns = [
    { name: 'Variant' },
    { name: 'Kind' },
    { name: 'Why' },
    { name: 'Trials', isNumber: true as const },
    { name: 'Results' },
  ];
  return [section('What failed, and why', table('What failed, and why', columns, rows))];
}

function link(words: string, address: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(words)}</a>`;
}

export function renderFailures(trials: readonly TrialRecord[], linkOf: LinkOf): readonly string[] {
  const skipped = trials.filter(({ meta }) => meta.outcome === 'skipped');
  const others = [...failedTrials(trials), ...skipped];
  if (others.length === 0) return [];
  const left = others.length - failuresMax;
  return [
    section(
      'Trials without success',
      ...others.slice(0, failuresMax).map((trial) => failure(trial, linkOf)),
      ...(left > 0 ? [`<p class="muted">${left} more are left out of this page.</p>`] : []),
    ),
  ];
}

function failure(trial: TrialRecord, linkOf: LinkOf): string {
  const { meta, checks, dir } = trial;
  const { case_id, variant, repeat, outcome, errors } = meta;
  const logs = listLogs(trial).map((log) => link(log, linkOf(`${dir}/${log}`)));
  const lines = [
    ...errors.map(text),
    ...checks
      .filter(({ passed }) => !passed)
      .map(({ label, detail }) => `${text(label)}: ${text(detail ?? 'not passed')}`),
    `results: ${[link(dir, linkOf(dir)), ...logs].join(' · ')}`,
  ];
  return `<details><summary><span class="badge ${outcome}">${outcome}</span> ${caseName(case_id, variantLabel(variant))} repeat ${repeat} · ${text(renderWhy(trial))}</summary><ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul></details>`;
}
