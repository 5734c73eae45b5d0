/**
 * Decides which trials a batch has, which of them belong to a shard, and which are left to do. Sharding depends on the plan
 * alone, so every machine gets the same result; hashes are passed in.
 */
import { trialKeyText } from './names.ts';
import type { Batch, Shard, TrialKey } from './types.ts';
import { suggest } from '../../core/text/suggest.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';

export interface Dealing {
  /** Null: all of the plan. */
  readonly shards: readonly Shard[] | null;
  /** Any hash that scatters well; it decides which trial goes where. */
  readonly hashOf: (text: string) => string;
}

/** In the order of the plan: case by case, repeat by repeat, variant by variant. */
export function planTrials(plan: Batch['plan'], { shards, hashOf }: Dealing): readonly TrialKey[] {
  const trials = plan.cases.flatMap(({ id }) =>
    Array.from({ length: plan.repeats }, (_, index) => index + 1).flatMap((repeat) =>
      plan.variants.map((variant): TrialKey => ({ case_id: id, variant, repeat })),
    ),
  );
  if (shards === null) return trials;
  // Cards in the order of their hash, dealt round: no shard gets two more than another.
  const cards = trials
    .map((trial) => ({ trial, hash: hashOf(`${trial.case_id}\n${trial.repeat}`) }))
    .toSorted((a, b) => compareCodePoints(a.hash, b.hash) || compareTrials(a.trial, b.trial));
  const kept = new Set(
    cards
      .filter((_, at) => shards.some(({ index, of }) => at % of === index - 1))
      .map(({ trial }) => trialKeyText(trial)),
  );
  return trials.filter((trial) => kept.has(trialKeyText(trial)));
}

function compareTrials(a: TrialKey, b: TrialKey): number {
  return compareCodePoints(trialKeyText(a), trialKeyText(b));
}

/** What was planned and has no record yet. */
export function remainingTrials(
  planned: readonly TrialKey[],
  done: readonly TrialKey[],
): readonly TrialKey[] {
  const ended = new Set(done.map(trialKeyText));
  return planned.filter((trial) => !ended.has(trialKeyText(trial)));
}

const shardsMax = 10_000;

/** `2/5`: the second of five. Null when it is not that. */
export function parseShard(text: string): Shard | null {
  const [, index, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  return shard.of <= shardsMax && shard.index >= 1 && shard.index <= shard.of ? shard : null;
}

/** The shards of both, once each and in order; null: all of the plan. */
export function joinShards(a: readonly Shard[] | null, b: readonly Shard[] | null): readonly Shard[] | null {
  if (a === null || b === null) return null;
  const joined = [
    ...new Map([...a, ...b].map((shard) => [`${shard.index}/${shard.of}`, shard])).values(),
  ].toSorted((left, right) => left.of - right.of || left.index - right.index);
  const isWhole = joined.some(({ of }) => joined.filter((shard) => shard.of === of).length === of);
  return isWhole ? null : joined;
}

export interface Selection {
  /** Empty: all. */
  readonly ids: readonly string[];
  /** Selects cases with any of these tags. Empty: all. */
  readonly tags: readonly string[];
}

export type SelectedCases<T> =
  | { readonly ok: true; readonly cases: readonly T[] }
  | { readonly ok: false; readonly unknown: string; readonly near: string | null };

interface Selectable {
  readonly case: { readonly id: string; readonly tags: readonly string[] };
}

/** The selected cases, in their own order. */
export function selectCases<T extends Selectable>(
  cases: readonly T[],
  { ids, tags }: Selection,
): SelectedCases<T> {
  const known = new Set(cases.map((item) => item.case.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) return { ok: false, unknown, near: suggest(unknown, known) };
  return {
    ok: true,
    cases: cases.filter(
      (item) =>
        (ids.length === 0 || ids.includes(item.case.id)) &&
        (tags.length === 0 || item.case.tags.some((tag) => tags.includes(tag))),
    ),
  };
}
