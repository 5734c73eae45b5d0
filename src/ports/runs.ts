/** What the app needs for whole runs: their records, and the lock that all work trees of a repository share (§13). Types only. */
import type { ProcessOwner, RunRecord } from '../core/runs/record.ts';
import type { LineFollower } from './iteration-reader.ts';
import type { LockHolder } from './sessions.ts';

/** A record that cannot be read is still there: it can be shown and cleaned. */
export type FoundRecord =
  | { readonly kind: 'record'; readonly record: RunRecord; readonly is_alive: boolean }
  | { readonly kind: 'broken'; readonly run_id: string; readonly problems: readonly string[] };

export interface RunRecords {
  /** Contract: null when there is none, or the word is no id; broken when it is another run's. `is_alive`: pid, start time and boot id agree. */
  load(runId: string): Promise<FoundRecord | null>;
  /** Contract: all of them with an id as their name, sorted by it. */
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
   * whole runs. Waits for a living holder up to two minutes, then throws LOCKED that names it. Work is short: no agent, no guard.
   */
  hold<T>(command: string, work: () => Promise<T>): Promise<T>;
}

export interface RunSize {
  /** Logs of its iterations, in this checkout and in the common git folder. */
  readonly logs_bytes: number;
  /** Null: there is no such folder. */
  readonly worktree_bytes: number | null;
}

/** Files of background runs that people look at. Reads only. */
export interface RunFiles {
  /** Contract: links are not followed, and count as nothing; what cannot be read is left out. */
  size(run: { readonly run_id: string; readonly worktree: string | null }): Promise<RunSize>;
  /** Contract: whether it is a folder in which only background runs of this repository work. */
  isRunFolder(path: string): boolean;
  /** Contract: the readable log `progress.txt`; no lines while there is none. */
  followProgress(runId: string): LineFollower;
}

/** The processes of a background run. */
export interface RunProcesses {
  /** Contract: SIGTERM to exactly this process; nothing when it is gone. */
  requestStop(owner: ProcessOwner): Promise<void>;
  /** Contract: whether exactly this process lives. */
  isAlive(owner: ProcessOwner): Promise<boolean>;
  /** Contract: the runner at work in a work tree, whatever records say; null: none, or no work tree. */
  workerIn(worktree: string): Promise<LockHolder | null>;
  /**
   * Contract: ends the process with the group it leads, and every process of a session in the work tree; returns when none is left, with
   * a line for each that had to be ended. Throws PROCESS_ALIVE.
   */
  endAll(run: {
    readonly owner: ProcessOwner | null;
    readonly worktree: string | null;
  }): Promise<readonly string[]>;
}

export interface RunStarter {
  /** Contract: a detached process works on the run from now on and keeps its record; returns when it was started. */
  start(runId: string): Promise<void>;
}

export interface RunRecovery {
  /**
   * Contract: an iteration that was cut off in the run's work tree is closed and its work committed, as `step` does it after a crash, but
   * without waiting for an agent or a guard. Nothing to do: nothing happens.
   */
  recover(record: RunRecord): Promise<void>;
}
