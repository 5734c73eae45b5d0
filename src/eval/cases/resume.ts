/** Decides whether a batch can be resumed: the command line must match its plan, and its cases must be unchanged. Pure. */
import { variantLabel } from './names.ts';
import type { Batch, Shard, Variant } from './types.ts';

/** What the command line says of the plan; null: nothing. */
export interface GivenPlan {
  readonly cases: readonly string[] | null;
  readonly variants: readonly Variant[] | null;
  readonly repeats: number | null;
  readonly record: boolean | null;
  readonly shard: Shard | null;
}

/** The first flag that speaks against the plan, as a message; null: none does. */
export function checkResume({ plan, shards, batch_id }: Batch, given: GivenPlan): string | null {
  const differs = (what: string, planned: string): string =>
    `${what}: the batch '${batch_id}' was started with ${planned}`;
  if (
    given.cases !== null &&
    !isSame(
      given.cases,
      plan.cases.map(({ id }) => id),
    )
  )
    return differs('other cases', plan.cases.map(({ id }) => id).join(', '));

  const labels = plan.variants.map(variantLabel);
  if (given.variants !== null && !isSame(given.variants.map(variantLabel), labels))
    return differs('other agents', labels.join(', '));

  if (given.repeats !== null && given.repeats !== plan.repeats)
    return differs(`--repeat ${given.repeats}`, `--repeat ${plan.repeats}`);

  if (given.record === true && !plan.record) return differs('--record', 'no --record');
  const wanted = given.shard === null ? null : renderShards([given.shard]);
  if (wanted !== null && wanted !== renderShards(shards))
    return differs(`--shard ${wanted}`, shards === null ? 'no --shard' : `--shard ${renderShards(shards)}`);

  return null;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join('\n') === b.toSorted().join('\n');
}

function renderShards(shards: readonly Shard[] | null): string {
  return (shards ?? []).map(({ index, of }) => `${index}/${of}`).join(', ');
}

/** Ids of the plan's cases that are gone or have another hash now. */
export function changedCases(
  plan: Pick<Batch['plan'], 'cases'>,
  now: ReadonlyMap<string, { readonly hash: string }>,
): readonly string[] {
  return plan.cases.filter(({ id, hash }) => now.get(id)?.hash !== hash).map(({ id }) => id);
}
