/** Which ids a new run may have (§12): an id that any run ever had here is never given again. Reads nothing; the callers hold the repository's lock. */

/** Every id that some run has or had, by where it was found. */
export interface HeldIds {
  /** Local and remote branches `runner/<id>`. */
  readonly branches: readonly string[];
  /** `refs/runner/archive/<id>`. */
  readonly archives: readonly string[];
  /** Records of background runs, also those that cannot be read. */
  readonly records: readonly string[];
  /** `Runner-Run` trailers reachable from HEAD. */
  readonly history: readonly string[];
}

export type IdHolder = 'branch' | 'archive' | 'record' | 'history';

/** Where an id is in use; null: it is free. */
export function findHolder(id: string, held: HeldIds): IdHolder | null {
  if (held.branches.includes(id)) return 'branch';
  if (held.records.includes(id)) return 'record';
  if (held.archives.includes(id)) return 'archive';
  return held.history.includes(id) ? 'history' : null;
}

/** The wanted id, or the first free one of `-2`, `-3`…; another run after `x-2` is `x-3`, not `x-2-2`. */
export function chooseFreeId(wanted: string, held: HeldIds): string {
  if (findHolder(wanted, held) === null) return wanted;
  const stem = wanted.replace(/-[0-9]{1,3}$/, '');
  const base = findHolder(stem, held) === null ? wanted : stem;
  let suffix = 2;
  while (findHolder(`${base}-${suffix}`, held) !== null) suffix += 1;
  return `${base}-${suffix}`;
}
