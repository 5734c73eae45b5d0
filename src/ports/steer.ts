/** How a person reaches a loop at work (§12), and what it notes for other commands and the pages. Types only. */
import type { PersonChange, QueueEntry } from '../core/runs/person-change.ts';
import type { RunNote } from '../core/runs/run-note.ts';

/** A file in the git folder. An agent that can write there can only pause the loop. */
export interface PauseFlag {
  isSet(): Promise<boolean>;
  /** Contract: durable; fine when it is set already. */
  set(): Promise<void>;
  /** Contract: fine when it is not set. */
  clear(): Promise<void>;
}

/** A file of the queue; `problem`: nothing the runner wrote. */
export type Queued =
  | { readonly name: string; readonly entry: QueueEntry }
  | { readonly name: string; readonly problem: string };

/** A change that did not apply, as it is kept and shown. */
export interface RefusedEntry {
  readonly entry: QueueEntry;
  readonly reason: string;
}

/** A person's changes that wait for the next iteration, in the git folder of the work tree. */
export interface EditQueue {
  /** Contract: behind all others, durable and whole before it returns. */
  add(request: { readonly run_id: string; readonly edit: PersonChange }): Promise<QueueEntry>;
  /** Contract: in the order of `add`; never throws for what is in the folder. */
  list(): Promise<readonly Queued[]>;
  /** Contract: takes one out; with a reason it is kept among the refused, of which the newest twenty stay. */
  remove(queued: Queued, reason?: string): Promise<void>;
  /** Contract: the refused ones of a run, oldest first. */
  listRefused(runId: string): Promise<readonly RefusedEntry[]>;
}

type OwnNote = RunNote extends infer Note ? (Note extends RunNote ? Omit<Note, 'prefix'> : never) : never;

/** A file in the git folder. It is shown to people and decides nothing. */
export interface RunNotes {
  /** Contract: replaces the one before, without secrets, with a hint that helps under the settings in force (`least`: see EndText). */
  save(note: OwnNote, least: number | null): Promise<void>;
  /** Contract: null when this project has none, or nothing the runner wrote. */
  load(): Promise<RunNote | null>;
}
