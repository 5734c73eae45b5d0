/**
 * The beginning of a batch's page, what a reader decides on: is it whole, what could not be judged, the rate of each variant with its
 * intervals, cost and time, and why trials failed. At its end every failed trial, with links to its logs.
 */
import { variantLabel } from '../cases/names.ts';
import { failedTrials, listLogs, namesByResults, renderWhy } from './failures.ts';
import type { FailureGroup } from './failures.ts';
import { listNotes } from './notes.ts';
import type { Note } from './notes.ts';
import {
  renderClustered,
  renderCost,
  renderCount,
  renderInterval,
  renderMeasure,
  renderPercent,
} from './numbers.ts';
import {
  caseName,
  link,
  nameText,
  percentTicks,
  plotList,
  section,
  table,
  text,
  trialLinks,
} from './page.ts';
import type { LinkOf } from './page.ts';
import { renderRateStrip } from './plots.ts';
import type { BatchReport } from './report.ts';
import type { VariantSummary } from './summary.ts';
import type { TrialRecord } from '../cases/types.ts';
import { intervalsNote, outcomeWords, whyWords } from './words.ts';

/** A page with more would be slow to open; the others are in the JSON. */
const failuresMax = 300;
const reasonsMax = 10;

export function renderNotes(notes: readonly Note[]): readonly string[] {
  if (notes.length === 0) return [];
  const one = ({ text: said, command, parts }: Note): string =>
    parts.length === 0
      ? `<p>${text(said)}${command === null ? '' : ` <code>${text(command)}</code>`}</p>`
      : `<details><summary>${text(said)}</summary><ul>${parts.map((part) => `<li>${text(part)}</li>`).join('')}</ul></details>`;
  return [`<section class="notes">${notes.map(one).join('')}</section>`];
}

export function renderHead(report: BatchReport, linkOf: LinkOf): readonly string[] {
  const { variants } = report.summary;
  const notes = renderNotes(listNotes(report));
  return variants.length === 0 ? notes : [...notes, rates(variants), ...reasons(report, linkOf)];
}

function rates(variants: readonly VariantSummary[]): string {
  const rows = variants.map((one) => ({
    name: nameText(one.variant),
    strip: renderRateStrip(one),
    ...(one.rate === null
      ? { said: one.trials === 0 ? 'no result yet' : 'nothing judged' }
      : {
          said: `${renderPercent(one.rate)} (${renderInterval(one.interval)}) · ${one.outcomes.success} of ${one.judged} solved`,
          also: `cases cluster: ${renderClustered(one)}`,
        }),
  }));
  const numbers = ['Harness errors', 'Total cost', 'Total trial time', 'Median trial time', 'Skipped'];
  return section(
    'Solved, with 95 % intervals',
    plotList(rows, percentTicks, true),
    table(
      'Variants',
      [{ name: 'Variant' }, ...numbers.map((name) => ({ name, isNumber: true as const }))],
      variants.map((one) => [
        nameText(one.variant),
        String(one.outcomes.error),
        renderCost(one),
        renderMeasure('duration_secs', one.took_secs),
        renderMeasure('duration_secs', one.spreads.duration_secs?.median ?? null),
        String(one.outcomes.skipped),
      ]),
    ),
    `<p class="muted">Solved: of the judged trials, those that succeeded; a trial that ran out of iterations or time, or whose agent crashed, is not solved. ${intervalsNote} It is the band behind the line. Totals are of all trials, also of those with a harness error.</p>`,
  );
}

function reasons({ summary, trials }: BatchReport, linkOf: LinkOf): readonly string[] {
  const names = namesByResults(trials);
  const linkTo = (dir: string): string => link(String(names.get(dir)), linkOf(dir));
  const row = (variant: string, kind: string, group: FailureGroup): readonly string[] => {
    const left = group.trials - group.results.length;
    return [
      nameText(variant),
      kind,
      text(whyWords(group.why)),
      String(group.trials),
      group.results.map(linkTo).join(', ') + (left > 0 ? `, +${left} more` : ''),
    ];
  };
  const rows = summary.variants.flatMap(({ variant, failures, errors }) => [
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
  const title = 'What failed, and why';
  return [section(title, table(title, columns, rows), ...summary.variants.flatMap(reasonsLeft))];
}

function reasonsLeft({ variant, failures, errors }: VariantSummary): readonly string[] {
  const left = [failures, errors].reduce((sum, groups) => sum + Math.max(0, groups.length - reasonsMax), 0);
  if (left === 0) return [];
  return [
    `<p class="muted">${renderCount(left, 'rarer reason')} of ${nameText(variant)} ${left === 1 ? 'is' : 'are'} left out here; the JSON report has all of them.</p>`,
  ];
}

export function renderFailures(trials: readonly TrialRecord[], linkOf: LinkOf): readonly string[] {
  const skipped = trials.filter(({ meta }) => meta.outcome === 'skipped');
  const others = [...failedTrials(trials), ...skipped];
  if (others.length === 0) return [];
  const left = others.length - failuresMax;
  return [
    section(
      'Trials that were not solved',
      ...others.slice(0, failuresMax).map((trial) => failure(trial, linkOf)),
      ...(left > 0 ? [`<p class="muted">${left} more are left out of this page.</p>`] : []),
    ),
  ];
}

function failure(trial: TrialRecord, linkOf: LinkOf): string {
  const { meta, checks, dir } = trial;
  const { case_id, variant, repeat, outcome, errors } = meta;
  const lines = [
    ...errors.map(text),
    ...checks
      .filter(({ passed }) => !passed)
      .map(
        ({ label, detail }) =>
          `check not passed: ${text(label)}${detail === null ? '' : `: ${text(detail)}`}`,
      ),
    `results: ${trialLinks({ words: dir, dir, logs: listLogs(trial) }, linkOf)}`,
  ];
  return `<details><summary><span class="badge ${outcome}">${outcomeWords[outcome]}</span> ${caseName(case_id, variantLabel(variant))} #${repeat} · ${text(whyWords(renderWhy(trial)))}</summary><ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul></details>`;
}
