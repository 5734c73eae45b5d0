/**
 * Lists how the two sides of a comparison differ: agent, runner, cases. It only reports; people decide whether the two sets may
 * be compared.
 */
import { variantLabel } from '../cases/names.ts';
import type { TrialMeta, TrialRecord } from '../cases/types.ts';

export interface Difference {
  readonly what: 'variant' | 'agent' | 'agent version' | 'model' | 'runner version' | 'case hash';
  /** Null: of the whole. */
  readonly case_id: string | null;
  /** Every value that occurs, sorted; of case hashes the beginning. */
  readonly a: readonly string[];
  readonly b: readonly string[];
}

type Read = (meta: TrialMeta) => readonly string[];

/** An unreported value does not count: a skipped trial has no agent, which is no difference. */
const rows: readonly { readonly what: Exclude<Difference['what'], 'case hash'>; readonly read: Read }[] = [
  { what: 'variant', read: ({ variant }) => [variantLabel(variant)] },
  { what: 'agent', read: ({ agent }) => (agent === null ? [] : [agent.name]) },
  { what: 'agent version', read: ({ agent }) => (agent === null ? [] : [agent.version ?? 'unknown']) },
  { what: 'model', read: ({ agent }) => (agent === null ? [] : [agent.model ?? 'unknown']) },
  { what: 'runner version', read: ({ runner_version }) => [runner_version] },
];

const hashLength = 12;

export function listDifferences(a: readonly TrialRecord[], b: readonly TrialRecord[]): readonly Difference[] {
  const ofA = a.map(({ meta }) => meta);
  const ofB = b.map(({ meta }) => meta);
  const whole = rows.flatMap(({ what, read }) =>
    differ({ what, case_id: null, a: valuesOf(ofA, read), b: valuesOf(ofB, read) }),
  );
  const ids = valuesOf(ofA, ({ case_id }) => [case_id]);
  const cases = ids.flatMap((case_id) => {
    const read: Read = (meta) => (meta.case_id === case_id ? [meta.case_hash.slice(0, hashLength)] : []);
    return differ({ what: 'case hash', case_id, a: valuesOf(ofA, read), b: valuesOf(ofB, read) });
  });
  return [...whole, ...cases];
}

function valuesOf(metas: readonly TrialMeta[], read: Read): readonly string[] {
  return [...new Set(metas.flatMap(read))].toSorted();
}

/** A side that says nothing does not differ. */
function differ(found: Difference): readonly Difference[] {
  const { a, b } = found;
  if (a.length === 0 || b.length === 0) return [];
  return a.join('\n') === b.join('\n') ? [] : [found];
}
