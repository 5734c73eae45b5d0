/** Decides which files a restore from a rescue ref writes (§14), and which changes of the user would be lost by it. Pure. */
import { compareCodePoints } from '../tree/tree-walk.ts';

export interface RestoreInput {
  /** Paths that the rescued commit changed, outside `.runner/`. */
  readonly changed: readonly string[];
  /** Every path the rescued commit has. */
  readonly held: ReadonlySet<string>;
  /** Files or folders to restore; empty: all of them. */
  readonly wanted: readonly string[];
}

export interface RestorePlan {
  readonly write: readonly string[];
  /** Deleted by the rescued commit; a restore removes nothing. */
  readonly deleted: readonly string[];
}

export function planRestore({ changed, held, wanted }: RestoreInput): RestorePlan {
  const names = wanted.map((name) => name.replace(/^(?:\.\/)+|\/+$/g, ''));
  const isWanted = (path: string): boolean =>
    names.length === 0 || names.some((name) => path === name || path.startsWith(`${name}/`));
  const paths = changed.filter(isWanted).toSorted(compareCodePoints);
  return { write: paths.filter((path) => held.has(path)), deleted: paths.filter((path) => !held.has(path)) };
}

/** What git could not give back: a file with changes, a file that no commit has, and changed files in the way of a new one. */
export function listOverwritten(input: {
  readonly write: readonly string[];
  /** Those of `write` whose file on disk is another. */
  readonly differing: ReadonlySet<string>;
  readonly dirty: ReadonlySet<string>;
  /** Every path of HEAD. */
  readonly committed: ReadonlySet<string>;
}): readonly string[] {
  const { write, differing, dirty, committed } = input;
  const lost = write.filter((path) => differing.has(path) && (dirty.has(path) || !committed.has(path)));
  const inWay = [...dirty].filter((path) =>
    write.some((wish) => path.startsWith(`${wish}/`) || wish.startsWith(`${path}/`)),
  );
  return [...new Set([...lost, ...inWay])].toSorted(compareCodePoints);
}
