/** What the process of a background run needs beside the ports of `loop` (§13). Types only. */

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
