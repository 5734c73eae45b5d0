/** Reads `git status --porcelain=v2 --branch` and `git ls-files -v`: text in, plain data out. Pure; it never starts git. */
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { DirtyPath } from '../../ports/git.ts';
import { linesOf, shownPath, unquotePath } from './quoted-path.ts';

export interface StatusFacts {
  /** Null: no commit yet. */
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  /** Sorted by path by code point; dirt inside submodules is not here. */
  readonly dirty: readonly DirtyPath[];
  /** Untracked repositories, relative to the top. */
  readonly nested: readonly string[];
  readonly dirtySubmodules: readonly string[];
}

interface Entry {
  readonly code: string;
  /** `N...` or `S<c><m><u>` for a submodule. */
  readonly submodule: string;
  readonly path: string;
}

/** Words before the path in each kind of record; there are no renames, we ask without them. */
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, u: 10 };

export function parseStatus(output: string): StatusFacts {
  const lines = linesOf(output);
  const header = (name: string, none: string): string | null => {
    const value = lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3) ?? none;
    return value === none ? null : value;
  };
  const entries = lines.flatMap(parseEntry);
  const paths = (chosen: readonly Entry[]): readonly string[] =>
    chosen.map((entry) => entry.path).toSorted(compareCodePoints);
  return {
    head: header('branch.oid', '(initial)'),
    branch: header('branch.head', '(detached)'),
    dirty: sortDirty(
      entries.filter((entry) => !isOnlyInside(entry)).map(({ code, path }) => ({ code, path })),
    ),
    // With every untracked file listed, only another repository is left as a folder.
    nested: paths(entries.filter((entry) => entry.code === '??' && entry.path.endsWith('/'))),
    dirtySubmodules: paths(entries.filter((entry) => /^S.(?:M.|.U)$/.test(entry.submodule))),
  };
}

/** Other records (headers, ignored files) say nothing about changes. */
function parseEntry(line: string): readonly Entry[] {
  if (line.startsWith('? '))
    return [{ code: '??', submodule: 'N...', path: shownPath(unquotePath(line.slice(2))) }];

  const before = fieldsBefore[line.charAt(0)];
  if (before === undefined || line.charAt(1) !== ' ') return [];

  const fields = line.split(' ');
  const path = shownPath(unquotePath(fields.slice(before).join(' ')));
  return [{ code: fields[1] ?? '', submodule: fields[2] ?? '', path }];
}

export function sortDirty(dirty: readonly DirtyPath[]): readonly DirtyPath[] {
  return dirty.toSorted((a, b) => compareCodePoints(a.path, b.path));
}

/** Dirt inside a submodule whose own commit and entry are unchanged does not count (§5). */
function isOnlyInside(entry: Entry): boolean {
  return entry.code === '.M' && /^S\.(?:M.|.U)$/.test(entry.submodule);
}

export interface TrackedFacts {
  /** Whether a flag hides changes from git: assume-unchanged is a small letter, skip-worktree an `S`. */
  readonly isHiding: boolean;
  /** Folders of tracked files, as latin1 text, parents first. */
  readonly folders: readonly string[];
}

export function parseTracked(listing: string): TrackedFacts {
  const lines = linesOf(listing);
  return {
    isHiding: lines.some((line) => /^[a-zS] /.test(line)),
    folders: foldersOf(lines.map((line) => unquotePath(line.slice(2)))),
  };
}

/** Every folder above the paths, parents first. */
export function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (
      let end = path.lastIndexOf('/');
      end > 0 && !folders.has(path.slice(0, end));
      end = path.lastIndexOf('/', end - 1)
    )
      folders.add(path.slice(0, end));
  }
  return [...folders].toSorted();
}
