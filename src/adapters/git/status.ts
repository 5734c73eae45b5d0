/** Reads `git status --porcelain=v2 --branch -z`: bytes in, plain data out. Pure; it never starts git. */
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { DirtyPath, GitSnapshot } from '../../ports/git-manager.ts';

/** Names may be any bytes: what is not UTF-8 is shown with replacement characters and never fed back to git. */
export function splitNul(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return start < bytes.length ? [...parts, bytes.subarray(start)] : parts;
}

interface Entry {
  readonly code: string;
  /** `N...` or `S<c><m><u>` for a submodule. */
  readonly submodule: string;
  readonly path: string;
}

/** Words before the path in each kind of record. */
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

export function parseStatus(output: Buffer): GitSnapshot {
  const records = splitNul(output).map((record) => record.toString('utf8'));
  const entries: Entry[] = [];
  let head: string | null = null;
  let branch: string | null = null;
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    if (record.startsWith('# branch.oid ')) {
      head = unless('(initial)', record.slice('# branch.oid '.length));
    } else if (record.startsWith('# branch.head ')) {
      branch = unless('(detached)', record.slice('# branch.head '.length));
    } else if (record.startsWith('? ')) {
      entries.push({ code: '??', submodule: 'N...', path: record.slice(2) });
    } else {
      entries.push(...parseTracked(record));
      if (record.startsWith('2 ')) {
        // The place a file was moved away from changed too: leaving it out would hide a change outside `.runner/`.
        at += 1;
        entries.push({ code: 'D.', submodule: 'N...', path: records[at] ?? '' });
      }
    }
  }
  return { head, branch, ...sortEntries(entries) };
}

function unless(word: string, text: string): string | null {
  return text === word ? null : text;
}

/** Other records (headers we did not ask for, ignored files) say nothing about changes. */
function parseTracked(record: string): readonly Entry[] {
  const before = fieldsBefore[record.charAt(0)];
  if (before === undefined || record.charAt(1) !== ' ') {
    return [];
  }
  const fields = record.split(' ');
  return [{ code: fields[1] ?? '', submodule: fields[2] ?? '', path: fields.slice(before).join(' ') }];
}

function sortEntries(entries: readonly Entry[]): Omit<GitSnapshot, 'head' | 'branch'> {
  const paths = (chosen: readonly Entry[]): readonly string[] =>
    chosen.map((entry) => entry.path).toSorted(compareCodePoints);
  return {
    dirty: sortDirty(
      entries.filter((entry) => !isOnlyInside(entry)).map(({ code, path }) => ({ code, path })),
    ),
    // With every untracked file listed, only another repository is left as a folder.
    nested_repositories: paths(entries.filter((entry) => entry.code === '??' && entry.path.endsWith('/'))),
    work_tree: null,
    dirty_submodules: paths(entries.filter((entry) => /^S.(?:M.|.U)$/.test(entry.submodule))),
  };
}

export function sortDirty(dirty: readonly DirtyPath[]): readonly DirtyPath[] {
  return dirty.toSorted((a, b) => compareCodePoints(a.path, b.path));
}

/** Dirt inside a submodule whose own commit and entry are unchanged does not count (§5). */
function isOnlyInside(entry: Entry): boolean {
  return entry.code === '.M' && /^S\.(?:M.|.U)$/.test(entry.submodule);
}
