/** What `clean` may take (§12): only what finished and abandoned runs left, and only what was asked for. Pure. */
import type { RunRecord } from './record.ts';

export const leftoverKinds = ['worktrees', 'logs', 'archive', 'rescue'] as const;
export type LeftoverKind = (typeof leftoverKinds)[number];

/** One thing that a run left. */
export interface Leftover {
  readonly run_id: string;
  readonly kind: LeftoverKind;
  /** A folder or a ref. */
  readonly place: string;
  readonly bytes: number;
}

/** A run as far as it must be known to tell whether it has ended. */
export interface EndedFacts {
  readonly run_id: string;
  /** Null: there is none, or it cannot be read. */
  readonly record: Pick<RunRecord, 'status' | 'finished_at'> | null;
  readonly is_alive: boolean;
  /** Commit of `refs/runner/archive/<id>` and when it was made; null: none. */
  readonly archive: { readonly commit: string; readonly committed_at: string } | null;
  /** Commit of its local branch; null: none. */
  readonly branch: string | null;
}

/** When the run ended, in UTC; null: it has not. A branch that went on after its end is an open run again. */
export function endOf({ record, is_alive, archive, branch }: EndedFacts): string | null {
  if (is_alive || (branch !== null && branch !== archive?.commit)) return null;
  const isEnded = record?.status === 'finished' || record?.status === 'abandoned';
  if (isEnded) return record.finished_at ?? archive?.committed_at ?? '';
  // Ended in another clone, or its record is gone: the archive says so, unless the record tells of a later start. With the branch still
  // there it may be a finish that was cut off.
  return record === null && branch === null && archive !== null ? archive.committed_at : null;
}

export interface CleanRequest {
  /** Empty: only what is free of risk, the work trees. */
  readonly kinds: readonly LeftoverKind[];
  /** Ends before this moment only; null: any. ISO text in UTC compares as time does. */
  readonly before: string | null;
}

export interface CleanPlan {
  readonly remove: readonly Leftover[];
  /** What is left for other flags. */
  readonly keep: readonly Leftover[];
}

export function planClean(
  { kinds, before }: CleanRequest,
  runs: readonly { readonly ended_at: string | null; readonly leftovers: readonly Leftover[] }[],
): CleanPlan {
  const wanted: readonly LeftoverKind[] = kinds.length === 0 ? ['worktrees'] : kinds;
  const ended = runs.filter(({ ended_at }) => ended_at !== null && (before === null || ended_at < before));
  const all = ended.flatMap(({ leftovers }) => leftovers);
  return {
    remove: all.filter(({ kind }) => wanted.includes(kind)),
    keep: all.filter(({ kind }) => !wanted.includes(kind)),
  };
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `30d` in milliseconds; null: it is no such word. */
export function parseAge(word: string): number | null {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/u.exec(word) ?? [];
  return count === undefined ? null : Number(count) * unitMs[unit as keyof typeof unitMs];
}
