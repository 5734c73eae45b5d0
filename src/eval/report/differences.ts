/**
 * Lists how the two sides of a comparison differ: agent, runner, cases. It only reports; people decide whether the two sets may
 * be compared.
 */
import { variantLabel } from '../cases/names.ts';
import type { TrialMeta, TrialRecord } from '../cases/types.ts';

export interface Difference {
  readonly what:
    | 'variant'
    | 'agent'
    | 'agent version'
    | 'model'
    | 'runner version'
    | 'hidden'
    | 'case hash'
    /** The key of a setting. */
    | `setting ${string}`;
  /** Null: of the whole. */
  readonly case_id: string | null;
  /** Every value that occurs, sorted; of case hashes the beginning. */
  readonly a: readonly string[];
  readonly b: readonly string[];
}

type Read = (meta: TrialMeta) => readonly string[];

/** An unreported value does not count: a skipped trial has no agent, which is no difference. */
const rows: readonly { readonly what: Difference['what']; readonly read: Read }[] = [
  { what: 'variant', read: ({ variant }) => [variantLabel(variant)] },
  { what: 'agent', read: ({ agent }) => (agent === null ? [] : [agent.name]) },
  { what: 'agent version', read: ({ agent }) => (agent === null ? [] : [agent.version ?? 'unknown']) },
  { what: 'model', read: ({ agent }) => (agent === null ? [] : [agent.model ?? 'unknown']) },
  { what: 'runner version', read: ({ runner_version }) => [runner_version] },
  { what: 'hidden', read: ({ hidden }) => (hidden === null ? [] : [hidden ? 'yes' : 'no']) },
];

/** Said by rows of their own. */
const toldKeys = ['agent.name', 'agent.model'];

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
  return [...whole, ...settingDifferences(ofA, ofB), ...cases];
}

const notSet = '(not set)';

/** By value, case by case; what differs alike in every case is said once. */
function settingDifferences(ofA: readonly TrialMeta[], ofB: readonly TrialMeta[]): readonly Difference[] {
  const idsOfB = valuesOf(ofB, ({ case_id }) => [case_id]);
  const ids = valuesOf(ofA, ({ case_id }) => [case_id]).filter((id) => idsOfB.includes(id));
  const keys = valuesOf([...ofA, ...ofB], ({ settings }) => Object.keys(settings ?? {})).filter(
    (key) => !toldKeys.includes(key),
  );
  return keys.flatMap((key) => {
    const found = ids.flatMap((case_id) => {
      const read: Read = (meta) =>
        meta.case_id === case_id && meta.settings !== null ? [meta.settings[key] ?? notSet] : [];
      return differ({ what: `setting ${key}`, case_id, a: valuesOf(ofA, read), b: valuesOf(ofB, read) });
    });
    const [first] = found;
    const isSame = found.length === ids.length && found.every((one) => sayingOf(one) === sayingOf(found[0]));
    return first !== undefined && isSame ? [{ ...first, case_id: null }] : found;
  });
}

function sayingOf(found: Difference | undefined): string {
  return JSON.stringify([found?.a, found?.b]);
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

/** For people, as cells of a table. */
export interface DifferenceRow {
  readonly what: string;
  readonly where: string;
  readonly a: string;
  readonly b: string;
}

const whatWords: Readonly<Record<string, string>> = { hidden: "cases out of the agent's reach" };

/** More are counted. */
const casesMax = 5;

/** Hashes tell a person nothing but that the cases changed. */
export function renderDifferences(found: readonly Difference[]): readonly DifferenceRow[] {
  const changed = found.flatMap(({ what, case_id }) => (what === 'case hash' ? [String(case_id)] : []));
  const told = found
    .filter(({ what }) => what !== 'case hash')
    .map(({ what, case_id, a, b }) => ({
      what: whatWords[what] ?? what,
      where: case_id ?? 'all',
      a: a.join(', '),
      b: b.join(', '),
    }));
  if (changed.length === 0) return told;
  const left = changed.length - casesMax;
  const where = changed.slice(0, casesMax).join(', ') + (left > 0 ? ` and ${left} more` : '');
  return [...told, { what: 'the case changed', where, a: '–', b: '–' }];
}
