/**
 * Sums up the trials of a batch: rates with intervals, pass@k, outcomes, numbers, per case and variant. A rate is over judged
 * trials (success, fail, stuck); errors and skipped trials say nothing about an agent, and are counted separately.
 */
import { variantLabel } from '../cases/names.ts';
import type { EvalOutcome, EvalReason, TrialMeta, TrialRecord } from '../cases/types.ts';
import { passAtK, passHatK, spreadOf, wilsonInterval } from './statistics.ts';
import type { Interval, Spread } from './statistics.ts';
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

export interface TrialGroup {
  readonly trials: number;
  readonly outcomes: Readonly<Record<EvalOutcome, number>>;
  /** How many have an outcome that says something about the agent. */
  readonly judged: number;
  /** Successes among the judged; null when there are none. */
  readonly rate: number | null;
  /** Wilson's, at 95 %. */
  readonly interval: Interval | null;
  /** Of errors and skipped trials, sorted by name. */
  readonly reasons: readonly { readonly reason: EvalReason | 'unknown'; readonly trials: number }[];
  /** Of judged trials; null where nothing is known. */
  readonly spreads: Readonly<Record<MeasureName, Spread | null>>;
  /** Of all trials. */
  readonly spent: Spent;
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
}

export interface EvalSummary {
  readonly overall: TrialGroup;
  /** Sorted by label. */
  readonly variants: readonly VariantSummary[];
  /** Sorted by case, then variant. */
  readonly cases: readonly CaseSummary[];
}

export function isJudged(outcome: EvalOutcome): boolean {
  return outcome === 'success' || outcome === 'fail' || outcome === 'stuck';
}

export function summariseTrials(trials: readonly TrialRecord[]): EvalSummary {
  const cases = groupBy(trials, ({ meta }) => `${meta.case_id}\n${variantLabel(meta.variant)}`).map(
    summariseCase,
  );
  const variants = groupBy(trials, ({ meta }) => variantLabel(meta.variant)).map(([variant, own]) =>
    summariseVariant({ variant, own, cases }),
  );
  return { overall: groupOf(trials), variants, cases };
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
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
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
  const kMax = Math.max(...cases.map(({ judged }) => judged));
  const passes = kUpTo(kMax).map((k) => {
    const rows = cases.flatMap(({ passes: known }) => known.filter((row) => row.k === k));
    return {
      k,
      pass_at: mean(rows.map(({ pass_at }) => pass_at)),
      pass_hat: mean(rows.map(({ pass_hat }) => pass_hat)),
      cases: rows.length,
    };
  });
  return { variant, ...groupOf(own), cases: cases.length, passes };
}

export function groupOf(trials: readonly TrialRecord[]): TrialGroup {
  const metas = trials.map(({ meta }) => meta);
  const judged = metas.filter(({ outcome }) => isJudged(outcome));
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
    judged: judged.length,
    rate: judged.length === 0 ? null : outcomes.success / judged.length,
    interval: judged.length === 0 ? null : wilsonInterval(outcomes.success, judged.length),
    reasons: countReasons(metas),
    spreads: {
      iterations: spreadIn(judged, 'iterations'),
      attempts: spreadIn(judged, 'attempts'),
      duration_secs: spreadIn(judged, 'duration_secs'),
      tokens: spreadIn(judged, 'tokens'),
      cost_usd: spreadIn(judged, 'cost_usd'),
    },
    spent: metas.reduce<Spent>(addSpent, { tokens: null, cost_usd: null }),
  };
}

function spreadIn(metas: readonly TrialMeta[], name: MeasureName): Spread | null {
  return spreadOf(metas.map((meta) => meta[name]).filter((value) => value !== null));
}

function countReasons(metas: readonly TrialMeta[]): TrialGroup['reasons'] {
  const counts = new Map<EvalReason | 'unknown', number>();
  for (const { outcome, reason } of metas) {
    if (isJudged(outcome)) continue;
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
