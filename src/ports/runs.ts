/** What the app needs for whole runs: their records, and the lock that all work trees of a repository share (§13). Types only. */
import type { ProcessOwner, RunRecord } from '../core/runs/record.ts';

/** A record that cannot be read is still there: it can be shown and cleaned. */
export type FoundRecord =
  | { readonly kind: 'record'; readonly record: RunRecord; readonly is_alive: boolean }
  | { readonly kind: 'broken'; readonly run_id: string; readonly problems: readonly string[] };

export interface RunRecords {
  /** Contract: null when there is none; `is_alive`: pid, start time and boot id agree. */
  load(runId: string): Promise<FoundRecord | null>;
  /** Contract: all of them, sorted by id. */
  list(): Promise<readonly FoundRecord[]>;
  /** Contract: durable, atomic; sets nothing itself. */
  save(record: RunRecord): Promise<void>;
  /** Contract: durable; fine when there is none. */
  remove(runId: string): Promise<void>;
  /** Contract: how this process is named in a record. */
  self(): Promise<ProcessOwner>;
}

export interface RepositoryLock {
  /**
   * Contract: does the work while no other process of ours chooses ids, writes records, adds or removes work trees or moves refs of
   * whole runs. Waits for a living holder up to ten seconds, then throws LOCKED that names it. Work is short: no agent, no guard.
   */
  hold<T>(command: string, work: () => Promise<T>): Promise<T>;
}

export interface HeldSlot {
  readonly slot: number;
  /** A folder of its own with a short name. */
  readonly tmp_dir: string;
  /** Contract: the slot is free again, the folder is gone. */
  release(): Promise<void>;
}

export interface Slots {
  /** Contract: a number that no living process of the user on this machine has. */
  take(runId: string): Promise<HeldSlot>;
}

export interface ProgressLog {
  /** Contract: one line with its time; never throws, never blocks. `isChatter`: left out when the log is large. */
  write(line: string, options?: { readonly isChatter?: boolean }): void;
  close(): void;
}
