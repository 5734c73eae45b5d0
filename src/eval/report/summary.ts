/**
 * Sums up the trials of a batch: rates with intervals, pass@k, outcomes, numbers, per case and variant, never over variants. A rate is
 * over judged trials (success, fail, stuck); errors of the harness and skipped trials say nothing about an agent and are counted apart.
 */
import { variantLabel } from '../cases/names.ts';
import type { EvalOutcome, EvalReason, TrialMeta, TrialRecord } from '../cases/types.ts';
import { listFailures } from './failures.ts';
import type { FailureGroup } from './failures.ts';
import { clusteredInterval, passAtK, passHatK, spreadOf, wilsonInterval } from './statistics.ts';
import type { Cluster, Interval, Spread } from './statistics.ts';
import { addSpent } from '../../core/agents/usage.ts';
import type { Spent } from '../../core/agents/usage.ts';

export const evalOutcomes = [
  'success',
  'fail',
  'stuck',
  'error',
  'skipped',
] as const satisfies readonly EvalOutcome[];

/** Numbers of a trial that have a spread, in the order of the report. */
export const measureNames = ['iterations', 'attempts', 'duration_secs', 'tokens', 'cost_usd'] as const;

export type MeasureName = (typeof measureNames)[number];

/** Counts, without a rate: over several variants one would mean nothing. */
export interface TrialCounts {
  readonly trials: number;
  readonly outcomes: Readonly<Record<EvalOutcome, number>>;
  /** How many have an outcome that says something about the agent. */
  readonly judged: number;
  /** Of the trials that have one, sorted by name. */
  readonly reasons: readonly { readonly reason: EvalReason | 'unknown'; readonly trials: number }[];
  /** Of all trials. */
  readonly spent: Spent;
  /** How many trials reported a cost: the sum is of these. */
  readonly cost_known: number;
  /** Seconds of all trials together. */
  readonly took_secs: number;
}

/** Trials of one variant. */
export interface TrialGroup extends TrialCounts {
  /** Successes among the judged; null when there are none. */
  readonly rate: number | null;
  /** Wilson's, at 95 %. */
  readonly interval: Interval | null;
  /** The same for trials that resemble each other within a case; null: there are not two cases. */
  readonly clustered: Interval | null;
  /** Of judged trials; null where nothing is known. */
  readonly spreads: Readonly<Record<MeasureName, Spread | null>>;
}

/** The chance that one of `k`, and that all of `k` succeed. */
export interface PassRow {
  readonly k: number;
  readonly pass_at: number;
  readonly pass_hat: number;
  /** Over how many cases it is the mean: those with `k` judged trials. */
  readonly cases: number;
}

export interface CheckCount {
  readonly label: string;
  readonly passed: number;
  readonly total: number;
}

export interface CaseSummary extends TrialGroup {
  readonly case_id: string;
  readonly variant: string;
  /** It succeeded, and it did not. */
  readonly is_flaky: boolean;
  readonly passes: readonly PassRow[];
  readonly checks: readonly CheckCount[];
}

export interface VariantSummary extends TrialGroup {
  readonly variant: string;
  readonly cases: number;
  readonly passes: readonly PassRow[];
  /** Why trials were not solved, most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** What kept the harness from judging, most frequent first. */
  readonly errors: readonly FailureGroup[];
}

export interface EvalSummary {
  readonly overall: TrialCounts;
  /** Sorted by label. */
  readonly variants: readonly VariantSummary[];
  /** Sorted by case, then variant. */
  readonly cases: readonly CaseSummary[];
}

export function isJudged(outcome: EvalOutcome): boolean {
  return outcome === 'success' || outcome === 'fail' || outcome === 'stuck';
}

/** `planned`: labels of variants that have a row also without any trial. */
export function summariseTrials(
  trials: readonly TrialRecord[],
  planned: readonly string[] = [],
): EvalSummary {
  const cases = groupBy(trials, ({ meta }) => `${meta.case_id}\n${variantLabel(meta.variant)}`).map(
    summariseCase,
  );
  const grouped = groupBy(trials, ({ meta }) => variantLabel(meta.variant));
  const empty = [...new Set(planned)].filter((label) => grouped.every(([variant]) => variant !== label));
  const variants = [...grouped, ...empty.map((label): Grouped => [label, []])]
    .toSorted(byKey)
    .map(([variant, own]) => summariseVariant({ variant, own, cases }));
  return { overall: countsOf(trials), variants, cases };
}

type Grouped = readonly [key: string, trials: readonly TrialRecord[]];

/** In the order of the keys by code unit, which is the same everywhere. */
function groupBy(trials: readonly TrialRecord[], keyOf: (trial: TrialRecord) => string): readonly Grouped[] {
  const groups = new Map<string, TrialRecord[]>();
  for (const trial of trials) {
    const key = keyOf(trial);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trial]);
    else group.push(trial);
  }
  return [...groups].toSorted(byKey);
}

function byKey([a]: Grouped, [b]: Grouped): number {
  return a < b ? -1 : 1;
}

function summariseCase([key, trials]: Grouped): CaseSummary {
  const at = key.indexOf('\n');
  const group = groupOf(trials);
  const { success } = group.outcomes;
  const passes = kUpTo(group.judged).map((k) => ({ k, ...passOf(group, k), cases: 1 }));
  return {
    case_id: key.slice(0, at),
    variant: key.slice(at + 1),
    ...group,
    is_flaky: success > 0 && success < group.judged,
    passes,
    checks: countChecks(trials),
  };
}

function summariseVariant(input: {
  readonly variant: string;
  readonly own: readonly TrialRecord[];
  readonly cases: readonly CaseSummary[];
}): VariantSummary {
  const { variant, own } = input;
  const cases = input.cases.filter((one) => one.variant === variant);
  const kMax = Math.max(0, ...cases.map(({ judged }) => judged));
  const passes = kUpTo(kMax).map((k) => {
    const rows = cases.flatMap(({ passes: known }) => known.filter((row) => row.k === k));
    return {
      k,
      pass_at: mean(rows.map(({ pass_at }) => pass_at)),
      pass_hat: mean(rows.map(({ pass_hat }) => pass_hat)),
      cases: rows.length,
    };
  });
  return {
    variant,
    ...groupOf(own),
    cases: cases.length,
    passes,
    failures: listFailures(own.filter(({ meta }) => isJudged(meta.outcome) && meta.outcome !== 'success')),
    errors: listFailures(own.filter(({ meta }) => meta.outcome === 'error')),
  };
}

function countsOf(trials: readonly TrialRecord[]): TrialCounts {
  const metas = trials.map(({ meta }) => meta);
  const count = (outcome: EvalOutcome): number => metas.filter((meta) => meta.outcome === outcome).length;
  const outcomes = {
    success: count('success'),
    fail: count('fail'),
    stuck: count('stuck'),
    error: count('error'),
    skipped: count('skipped'),
  };
  return {
    trials: metas.length,
    outcomes,
    judged: metas.filter(({ outcome }) => isJudged(outcome)).length,
    reasons: countReasons(metas),
    cost_known: metas.filter(({ cost_usd }) => cost_usd !== null).length,
    spent: metas.reduce<Spent>(addSpent, { tokens: null, cost_usd: null }),
    took_secs: metas.reduce((sum, { duration_secs }) => sum + duration_secs, 0),
  };
}

export function groupOf(trials: readonly TrialRecord[]): TrialGroup {
  const counts = countsOf(trials);
  const { success } = counts.outcomes;
  const judged = trials.map(({ meta }) => meta).filter(({ outcome }) => isJudged(outcome));
  const known = judged.length > 0;
  return {
    ...counts,
    rate: known ? success / judged.length : null,
    interval: known ? wilsonInterval(success, judged.length) : null,
    clustered: clusteredInterval(clustersOf(judged)),
    spreads: {
      iterations: spreadIn(judged, 'iterations'),
      attempts: spreadIn(judged, 'attempts'),
      duration_secs: spreadIn(judged, 'duration_secs'),
      tokens: spreadIn(judged, 'tokens'),
      cost_usd: spreadIn(judged, 'cost_usd'),
    },
  };
}

function clustersOf(judged: readonly TrialMeta[]): readonly Cluster[] {
  const cases = new Map<string, Cluster>();
  for (const { case_id, outcome } of judged) {
    const { successes, trials } = cases.get(case_id) ?? { successes: 0, trials: 0 };
    cases.set(case_id, { successes: successes + (outcome === 'success' ? 1 : 0), trials: trials + 1 });
  }
  return [...cases.values()];
}

function spreadIn(metas: readonly TrialMeta[], name: MeasureName): Spread | null {
  return spreadOf(metas.map((meta) => meta[name]).filter((value) => value !== null));
}

function countReasons(metas: readonly TrialMeta[]): TrialGroup['reasons'] {
  const counts = new Map<EvalReason | 'unknown', number>();
  for (const { outcome, reason } of metas) {
    if (isJudged(outcome) && reason === null) continue;
    const name = reason ?? 'unknown';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, trials]) => ({ reason, trials }))
    .toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
}

/** In the order of the case. */
function countChecks(trials: readonly TrialRecord[]): readonly CheckCount[] {
  const counts = new Map<string, CheckCount>();
  for (const { label, passed } of trials.flatMap(({ checks }) => checks)) {
    const before = counts.get(label) ?? { label, passed: 0, total: 0 };
    counts.set(label, { label, passed: before.passed + (passed ? 1 : 0), total: before.total + 1 });
  }
  return [...counts.values()];
}

function passOf({ outcomes, judged }: TrialGroup, k: number): { pass_at: number; pass_hat: number } {
  return {
    pass_at: Number(passAtK(outcomes.success, judged, k)),
    pass_hat: Number(passHatK(outcomes.success, judged, k)),
  };
}

/** All up to ten, then steps that a person can read, and the last one. */
function kUpTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1).filter(
    (k) => k <= 10 || k === last || k % 10 ** Math.floor(Math.log10(k)) === 0,
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
