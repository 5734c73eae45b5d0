/**
 * Decides how results of several machines become one set: which batches belong together, which trials are taken, and what does
 * not fit. It copies nothing. Of two records of one trial the existing one wins, else the one from the folder named first.
 */
import { canonicalText } from '../../core/tree/canonical-json.ts';
import { trialKeyText } from '../cases/names.ts';
import { joinShards } from '../cases/plan.ts';
import type { Batch, TrialMeta, TrialRecord } from '../cases/types.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';

/** What one folder of results holds. */
export interface ResultSet {
  readonly batches: readonly Batch[];
  readonly trials: readonly TrialRecord[];
}

export interface MergeInput {
  /** What the target folder already holds. */
  readonly target: ResultSet;
  readonly sources: readonly ResultSet[];
  /** All batches of the sources become this one; null: each keeps its id. */
  readonly batch_id: string | null;
}

/** One trial to copy; its record says the batch it now belongs to. */
export interface MergeCopy {
  readonly from: TrialRecord;
  readonly meta: TrialMeta;
}

export interface MergePlan {
  /** Every batch that is written, in order of their ids, with what comes to it. */
  readonly batches: readonly {
    readonly batch: Batch;
    readonly copies: readonly MergeCopy[];
    /** Trials that were there already. */
    readonly kept: number;
    /** Further records of a trial that has one. */
    readonly duplicates: number;
  }[];
  /** Trials whose batch is not known, as folders. */
  readonly orphans: readonly string[];
}

export type MergeResult =
  | { readonly ok: true; readonly plan: MergePlan }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[] };

export function planMerge({ target, sources, batch_id }: MergeInput): MergeResult {
  const nameOf = (own: string): string => batch_id ?? own;
  const joined = new Map<string, Batch>();
  for (const [isTarget, set] of [
    [true, target] as const,
    ...sources.map((source) => [false, source] as const),
  ]) {
    for (const batch of set.batches) {
      const id = isTarget ? batch.batch_id : nameOf(batch.batch_id);
      const before = joined.get(id);
      if (before !== undefined && !isSamePlan(before, batch)) return differentPlans(id, before, batch);
      joined.set(id, before === undefined ? { ...batch, batch_id: id } : joinBatches(before, batch));
    }
  }
  const taken = new Map(target.trials.map((trial) => [placeOf(trial.meta), trial.meta]));
  for (const { meta, dir } of sources.flatMap(({ trials }) => trials)) {
    const renamed = { ...meta, batch_id: nameOf(meta.batch_id) };
    const there = taken.get(placeOf(meta)) ?? renamed;
    if (canonicalText(there) !== canonicalText(renamed)) return takenPlace(there, dir);
    taken.set(placeOf(meta), renamed);
  }
  const touched = new Set(sources.flatMap(({ batches }) => batches.map((batch) => nameOf(batch.batch_id))));
  const offered = sources.flatMap((source) => {
    const own = new Set(source.batches.map((batch) => batch.batch_id));
    return source.trials.map((from) => ({ from, isKnown: own.has(from.meta.batch_id) }));
  });
  return {
    ok: true,
    plan: {
      batches: [...joined]
        .filter(([id]) => touched.has(id))
        .toSorted(([a], [b]) => compareCodePoints(a, b))
        .map(([id, batch]) => ({
          batch,
          ...deal(
            target.trials.filter(({ meta }) => meta.batch_id === id),
            offered.flatMap(({ from, isKnown }) =>
              isKnown && nameOf(from.meta.batch_id) === id
                ? [{ from, meta: { ...from.meta, batch_id: id } }]
                : [],
            ),
          ),
        })),
      orphans: offered.filter(({ isKnown }) => !isKnown).map(({ from }) => from.dir),
    },
  };
}

/** One record a trial: what is there stays, else the first that is offered. */
function deal(
  there: readonly TrialRecord[],
  offered: readonly MergeCopy[],
): { readonly copies: readonly MergeCopy[]; readonly kept: number; readonly duplicates: number } {
  const places = new Set(there.map(({ meta }) => placeOf(meta)));
  const keys = new Set(there.map(({ meta }) => trialKeyText(meta)));
  const copies: MergeCopy[] = [];
  let duplicates = 0;
  for (const copy of offered) {
    // The same record again is not a duplicate.
    if (places.has(placeOf(copy.meta))) continue;
    places.add(placeOf(copy.meta));
    if (keys.has(trialKeyText(copy.meta))) duplicates += 1;
    else copies.push(copy);
    keys.add(trialKeyText(copy.meta));
  }
  return { copies, kept: there.length, duplicates };
}

function placeOf({ case_id, eval_run_id }: TrialMeta): string {
  return `${case_id}/${eval_run_id}`;
}

function isSamePlan(a: Batch, b: Batch): boolean {
  return canonicalText(a.plan) === canonicalText(b.plan);
}

function joinBatches(a: Batch, b: Batch): Batch {
  const [first] = [a, b].toSorted((left, right) => compareCodePoints(left.created_at, right.created_at));
  const { created_at, runner_version } = first as Batch;
  return { ...a, created_at, runner_version, shards: joinShards(a.shards, b.shards) };
}

function differentPlans(id: string, a: Batch, b: Batch): MergeResult {
  return {
    ok: false,
    message: `the batch '${id}' was made by different plans`,
    details: (['cases', 'variants', 'repeats', 'record'] as const)
      .filter((key) => canonicalText(a.plan[key]) !== canonicalText(b.plan[key]))
      .map((key) => `${key} differ`),
  };
}

function takenPlace(there: TrialMeta, dir: string): MergeResult {
  return {
    ok: false,
    message: `${placeOf(there)} is there already, as another record of the batch '${there.batch_id}'`,
    details: [dir],
  };
}
