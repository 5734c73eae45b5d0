/**
 * Two sets of trials side by side: what flipped, what differs between them, and whether the difference is more than noise. Only pairs of the
 * same case and repeat that were judged on both sides count; every other trial is named as left out.
 */
import { listLogs, renderWhy } from './failures.ts';
import { groupOf, isJudged, measureNames } from './summary.ts';
import type { MeasureName, TrialGroup } from './summary.ts';
import type { TrialRecord } from '../cases/types.ts';
import { listDifferences } from './differences.ts';
import type { Difference } from './differences.ts';
import { renderVerdict } from './verdict.ts';
import type { PairCounts, Verdict } from './verdict.ts';
import { discordantPairsNeeded, exactMcNemar, exactSignFlip, significanceMax } from './statistics.ts';

export interface CompareSide {
  /** As a person named it: `latest@codex`. */
  readonly name: string;
  readonly trials: readonly TrialRecord[];
  /** Planned trials without a result. */
  readonly missing: number;
}

export type Side = { readonly name: string; readonly missing: number } & TrialGroup;

/** One case, over its pairs. */
export interface CaseFlips {
  readonly case_id: string;
  readonly pairs: number;
  readonly success_a: number;
  readonly success_b: number;
  /** Repeats that did not succeed in A and did in B. */
  readonly gained: readonly number[];
  /** The other way round. */
  readonly lost: readonly number[];
  /** Both, in the order of the repeats. */
  readonly flips: readonly Flip[];
}

/** A pair that ended differently, with where to look. */
export interface Flip {
  readonly repeat: number;
  readonly solved_in: 'a' | 'b';
  /** Folders of the results. */
  readonly results_a: string;
  readonly results_b: string;
  /** Why the other side did not succeed, and its logs, relative to its results. */
  readonly why: string;
  readonly logs: readonly string[];
}

export interface LeftOut {
  readonly case_id: string;
  readonly repeat: number;
  readonly why: string;
}

export interface MedianRow {
  readonly name: MeasureName;
  readonly a: number | null;
  readonly b: number | null;
}

export interface EvalComparison {
  readonly a: Side;
  readonly b: Side;
  readonly pairs: PairCounts;
  /** Of the exact McNemar test, two-sided. */
  readonly p: number;
  readonly verdict: Verdict;
  /** The side with more successes among the pairs; null: equal. */
  readonly ahead: 'a' | 'b' | null;
  /** Discordant pairs that would be more than noise; null: not known, or not needed. */
  readonly pairs_needed: number | null;
  /** For people, in plain words. */
  readonly sentence: string;
  /** Every case with a pair, sorted. */
  readonly cases: readonly CaseFlips[];
  readonly left_out: readonly LeftOut[];
  readonly differences: readonly Difference[];
  readonly medians: readonly MedianRow[];
}

interface Pair {
  readonly case_id: string;
  readonly repeat: number;
  readonly a: TrialRecord | null;
  readonly b: TrialRecord | null;
}

export function compareTrials(a: CompareSide, b: CompareSide): EvalComparison {
  const { pairs: found, repeated } = pairUp(a, b);
  const judged = found.filter((pair) => whyLeftOut(pair) === null);
  const cases = listFlips(judged);
  const pairs = countPairs(judged, cases);
  const p = exactMcNemar(pairs.only_a, pairs.only_b);
  const verdict = pairs.total === 0 ? 'no pairs' : p < significanceMax ? 'difference' : 'noise';
  const sideA = { name: a.name, missing: a.missing, ...groupOf(a.trials) };
  const sideB = { name: b.name, missing: b.missing, ...groupOf(b.trials) };
  const facts = {
    names: { a: a.name, b: b.name },
    pairs,
    p,
    verdict,
    ahead: pairs.only_a === pairs.only_b ? null : pairs.only_a > pairs.only_b ? 'a' : 'b',
    pairs_needed: verdict === 'noise' ? discordantPairsNeeded(pairs.only_a, pairs.only_b) : null,
  } as const;
  return {
    a: sideA,
    b: sideB,
    pairs,
    p,
    verdict,
    ahead: facts.ahead,
    pairs_needed: facts.pairs_needed,
    sentence: renderVerdict(facts),
    cases,
    left_out: [...found.flatMap(leftOutOf), ...repeated].toSorted(byCaseRepeat),
    differences: listDifferences(a.trials, b.trials),
    medians: measureNames.map((name) => ({
      name,
      a: sideA.spreads[name]?.median ?? null,
      b: sideB.spreads[name]?.median ?? null,
    })),
  };
}

/** Of a trial that was recorded twice the last one counts, as for a resumed batch. */
function pairUp(
  a: CompareSide,
  b: CompareSide,
): { readonly pairs: readonly Pair[]; readonly repeated: readonly LeftOut[] } {
  const repeated: LeftOut[] = [];
  const lastOf = ({ name, trials }: CompareSide): ReadonlyMap<string, TrialRecord> => {
    const known = new Map<string, TrialRecord>();
    const sorted = trials.toSorted((x, y) => (x.meta.end_time < y.meta.end_time ? -1 : 1));
    for (const trial of sorted) {
      const { case_id, repeat } = trial.meta;
      const key = `${case_id}\n${repeat}`;
      if (known.has(key))
        repeated.push({ case_id, repeat, why: `recorded more than once in ${name}; the last one counts` });

      known.set(key, trial);
    }
    return known;
  };
  const ofA = lastOf(a);
  const ofB = lastOf(b);
  const pairs = [...new Set([...ofA.keys(), ...ofB.keys()])].map((key) => {
    const [case_id = '', repeat] = key.split('\n');
    return { case_id, repeat: Number(repeat), a: ofA.get(key) ?? null, b: ofB.get(key) ?? null };
  });
  return { pairs: pairs.toSorted(byCaseRepeat), repeated };
}

type CaseRepeat = Pick<LeftOut, 'case_id' | 'repeat'>;

function byCaseRepeat(x: CaseRepeat, y: CaseRepeat): number {
  if (x.case_id !== y.case_id) return x.case_id < y.case_id ? -1 : 1;
  return x.repeat - y.repeat;
}

/** Null: it counts. */
function whyLeftOut({ a, b }: Pair): string | null {
  const tell = (side: string, trial: TrialRecord | null): readonly string[] => {
    if (trial === null) return [`not run in ${side}`];
    const { outcome, reason } = trial.meta;
    if (isJudged(outcome)) return [];
    return [`${outcome} in ${side}${reason === null ? '' : ` (${reason})`}`];
  };
  const why = [...tell('A', a), ...tell('B', b)].join(', ');
  return why === '' ? null : why;
}

function leftOutOf(pair: Pair): readonly LeftOut[] {
  const why = whyLeftOut(pair);
  return why === null ? [] : [{ case_id: pair.case_id, repeat: pair.repeat, why }];
}

export interface LeftOutGroup {
  readonly case_id: string;
  readonly why: string;
  readonly repeats: readonly number[];
}

/** Repeats of a case that were left out for the same reason, together. */
export function groupLeftOut(left_out: readonly LeftOut[]): readonly LeftOutGroup[] {
  const groups = new Map<string, LeftOutGroup>();
  for (const { case_id, why, repeat } of left_out) {
    const key = `${case_id}\n${why}`;
    const before = groups.get(key) ?? { case_id, why, repeats: [] };
    groups.set(key, { ...before, repeats: [...before.repeats, repeat] });
  }
  return [...groups.values()];
}

function isSuccess(trial: TrialRecord | null): boolean {
  return trial?.meta.outcome === 'success';
}

function countPairs(pairs: readonly Pair[], cases: readonly CaseFlips[]): PairCounts {
  const count = (inA: boolean, inB: boolean): number =>
    pairs.filter(({ a, b }) => isSuccess(a) === inA && isSuccess(b) === inB).length;
  return {
    total: pairs.length,
    both: count(true, true),
    only_a: count(true, false),
    only_b: count(false, true),
    neither: count(false, false),
    cases: cases.length,
    cases_flipped: cases.filter(({ flips }) => flips.length > 0).length,
    p_cases: exactSignFlip(cases.map(({ gained, lost }) => gained.length - lost.length)),
  };
}

function listFlips(pairs: readonly Pair[]): readonly CaseFlips[] {
  const ids = [...new Set(pairs.map(({ case_id }) => case_id))];
  return ids.map((case_id) => {
    const own = pairs.filter((pair) => pair.case_id === case_id);
    const flips = own.flatMap(flipOf);
    const repeatsOf = (side: 'a' | 'b'): readonly number[] =>
      flips.filter(({ solved_in }) => solved_in === side).map(({ repeat }) => repeat);
    return {
      case_id,
      pairs: own.length,
      success_a: own.filter(({ a }) => isSuccess(a)).length,
      success_b: own.filter(({ b }) => isSuccess(b)).length,
      gained: repeatsOf('b'),
      lost: repeatsOf('a'),
      flips,
    };
  });
}

function flipOf({ repeat, a, b }: Pair): readonly Flip[] {
  if (a === null || b === null || isSuccess(a) === isSuccess(b)) return [];
  const failed = isSuccess(a) ? b : a;
  return [
    {
      repeat,
      solved_in: isSuccess(a) ? 'a' : 'b',
      results_a: a.dir,
      results_b: b.dir,
      why: renderWhy(failed),
      logs: listLogs(failed),
    },
  ];
}
