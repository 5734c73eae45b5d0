/** Reports of the eval harness as stable `key=value` lines (§10). A value from outside is one word and cannot begin a line. */
import { variantLabel } from '../cases/names.ts';
import type { TrialRecord } from '../cases/types.ts';
import { failedTrials, listLogs, renderWhy } from './failures.ts';
import type { FailureGroup } from './failures.ts';
import type { Flip, Side } from './compare.ts';
import { compareNotes, noteLines, noteText } from './notes.ts';
import { measureNames } from './summary.ts';
import type { PairCounts } from './verdict.ts';
import type { CaseSummary, PassRow, TrialCounts, TrialGroup, VariantSummary } from './summary.ts';
import { renderShare } from './numbers.ts';
import type { BatchReport, ComparisonReport, EvalReport } from './report.ts';
import { renderVisible } from '../../core/text/visible.ts';

export function renderEvalText(report: EvalReport): string {
  const lines = report.kind === 'report' ? reportLines(report) : compareLines(report);
  return lines.map((line) => `${line}\n`).join('');
}

/** What a reader decides on comes first: is it whole, what could not be judged, then rates, and why trials failed. */
function reportLines(report: BatchReport): readonly string[] {
  const { batch_id, created_at, runner_version, planned, missing } = report;
  const { overall, variants, cases } = report.summary;
  return [
    `report: batch=${word(batch_id)} created=${word(created_at)} runner=${word(runner_version)} complete=${missing === 0 ? 'yes' : 'no'} planned=${planned} missing=${missing} ${countFields(overall)}`,
    ...noteLines(report).map((note) => `report: note: ${renderVisible(note)}`),
    ...variants.flatMap((one) => groupLines('error', one.variant, one.errors)),
    ...variants.flatMap((one) => [variantLine(one), ...groupLines('failed', one.variant, one.failures)]),
    ...variants.flatMap(passLines),
    ...cases.flatMap((one) => [caseLine(one), ...checkLines(one)]),
    ...cases
      .filter(({ is_flaky }) => is_flaky)
      .map(
        (one) =>
          `report: flaky case=${word(one.case_id)} variant=${word(one.variant)} rate=${renderShare(one.rate)}`,
      ),
    ...overall.reasons.map(({ reason, trials }) => `report: reason=${reason} trials=${trials}`),
    ...failedTrials(report.trials).map(trialLine),
  ];
}

function variantLine(one: VariantSummary): string {
  const { spent, took_secs } = one;
  return [
    `report: variant=${word(one.variant)} cases=${one.cases} ${groupFields(one)} ${clusteredFields(one)}`,
    `cost=${number(spent.cost_usd)} took_secs=${number(took_secs)} ${spreadFields(one)} cost_known=${one.cost_known}`,
  ].join(' ');
}

/** The interval for trials that resemble each other within a case. */
function clusteredFields({ clustered }: TrialGroup): string {
  return `low_cases=${renderShare(clustered?.low ?? null)} high_cases=${renderShare(clustered?.high ?? null)}`;
}

function groupLines(
  kind: 'error' | 'failed',
  variant: string,
  groups: readonly FailureGroup[],
): readonly string[] {
  return groups.map(
    ({ why, trials, results }) =>
      `report: ${kind} variant=${word(variant)} why=${word(why)} trials=${trials} results=${word(String(results[0]))}`,
  );
}

/** A trial without success, with its logs. */
function trialLine(trial: TrialRecord): string {
  const { case_id, variant, repeat, outcome } = trial.meta;
  const logs = listLogs(trial).map(word).join(',');
  return `report: trial=${word(case_id)} variant=${word(variantLabel(variant))} repeat=${repeat} outcome=${outcome} why=${word(renderWhy(trial))} results=${word(trial.dir)} logs=${logs === '' ? '-' : logs}`;
}

/** Of one trial both are the rate. */
function passLines({ variant, passes }: VariantSummary): readonly string[] {
  return passes
    .filter(({ k }) => k > 1)
    .map(
      ({ k, pass_at, pass_hat, cases }) =>
        `report: pass variant=${word(variant)} k=${k} pass_at=${renderShare(pass_at)} pass_hat=${renderShare(pass_hat)} cases=${cases}`,
    );
}

function caseLine(one: CaseSummary): string {
  return `report: case=${word(one.case_id)} variant=${word(one.variant)} ${groupFields(one)}${passFields(one.passes)} ${spreadFields(one)}`;
}

function checkLines({ case_id, variant, checks }: CaseSummary): readonly string[] {
  return checks.map(
    ({ label, passed, total }) =>
      `report: check=${word(label)} case=${word(case_id)} variant=${word(variant)} passed=${passed}/${total}`,
  );
}

function countFields({ trials, outcomes }: TrialCounts): string {
  const { success, fail, stuck, error, skipped } = outcomes;
  return `trials=${trials} success=${success} fail=${fail} stuck=${stuck} error=${error} skipped=${skipped}`;
}

function groupFields(group: TrialGroup): string {
  const { judged, rate, interval } = group;
  return [
    `${countFields(group)} judged=${judged}`,
    `rate=${renderShare(rate)} low=${renderShare(interval?.low ?? null)} high=${renderShare(interval?.high ?? null)}`,
  ].join(' ');
}

/** Of one trial both are the rate; of all of them they say the most. */
function passFields(passes: readonly PassRow[]): string {
  const last = passes.at(-1);
  if (last === undefined || last.k === 1) return '';
  return ` pass_at_${last.k}=${renderShare(last.pass_at)} pass_hat_${last.k}=${renderShare(last.pass_hat)}`;
}

/** Medians. */
function spreadFields({ spreads }: TrialGroup): string {
  return measureNames.map((name) => `${name}=${number(spreads[name]?.median ?? null)}`).join(' ');
}

function compareLines({ comparison }: ComparisonReport): readonly string[] {
  const { a, b, pairs, p, verdict, pairs_needed, cases, medians, differences, left_out } = comparison;
  return [
    ...compareNotes(comparison).map((note) => `compare: note: ${renderVisible(noteText(note))}`),
    sideLine('a', a),
    sideLine('b', b),
    ...cases.map(
      ({ case_id, pairs: own, success_a, success_b, gained, lost }) =>
        `compare: case=${word(case_id)} pairs=${own} success_a=${success_a} success_b=${success_b} gained=${list(gained)} lost=${list(lost)}`,
    ),
    ...cases.flatMap(({ case_id, flips }) => flips.map((flip) => flipLine(case_id, flip))),
    ...medians.map((row) => `compare: median=${row.name} a=${number(row.a)} b=${number(row.b)}`),
    ...differences.map(
      (one) =>
        `compare: differs=${word(one.what)} case=${word(one.case_id ?? '')} a=${one.a.map(word).join(',')} b=${one.b.map(word).join(',')}`,
    ),
    ...left_out.map(
      ({ case_id, repeat, why }) => `compare: left_out=${word(case_id)} repeat=${repeat} why=${word(why)}`,
    ),
    overPairsLine(pairs),
    `compare: pairs=${pairs.total} both=${pairs.both} only_a=${pairs.only_a} only_b=${pairs.only_b} neither=${pairs.neither} p=${p.toPrecision(4)} verdict=${word(verdict)} pairs_needed=${pairs_needed ?? '-'}`,
    `compare: ${renderVisible(comparison.sentence)}`,
  ];
}

function sideLine(key: 'a' | 'b', side: Side): string {
  const { spent, took_secs, cost_known } = side;
  return `compare: ${key}=${word(side.name)} ${groupFields(side)} ${clusteredFields(side)} cost=${number(spent.cost_usd)} took_secs=${number(took_secs)} cost_known=${cost_known}`;
}

/** A pair that ended differently; why and logs are of the side that did not solve it. */
function flipLine(case_id: string, flip: Flip): string {
  const { repeat, solved_in, why, results_a, results_b, logs } = flip;
  const names = logs.map(word).join(',');
  return `compare: flip=${word(case_id)} repeat=${repeat} solved_in=${solved_in} why=${word(why)} results_a=${word(results_a)} results_b=${word(results_b)} logs=${names === '' ? '-' : names}`;
}

/** Rates over the pairs, on which the verdict rests, and the test that takes no repeats as independent. */
function overPairsLine(pairs: PairCounts): string {
  const rate = (solved: number): string => renderShare(pairs.total === 0 ? null : solved / pairs.total);
  return `compare: cases=${pairs.cases} cases_flipped=${pairs.cases_flipped} p_cases=${pairs.p_cases.toPrecision(4)} pair_rate_a=${rate(pairs.both + pairs.only_a)} pair_rate_b=${rate(pairs.both + pairs.only_b)}`;
}

/** One word: what is not known is `-`, blanks become `_`. */
function word(text: string): string {
  const shown = renderVisible(text).trim().replaceAll(/\s+/gu, '_');
  return shown === '' ? '-' : shown;
}

function list(repeats: readonly number[]): string {
  return repeats.length === 0 ? '-' : repeats.join(',');
}

/** At most six decimal places, without trailing zeros. */
function number(value: number | null): string {
  return value === null ? '-' : String(Math.round(value * 1e6) / 1e6);
}
