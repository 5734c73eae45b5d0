/** What the app needs to read past iterations (§8). Types only; everything here reads, and follows no link. */
import type { IterationMeta } from '../core/agents/session.ts';
import type { SourceText } from '../core/types.ts';

export interface IterationPlace {
  readonly run_id: string;
  readonly iter: number;
}

export interface LogPlace extends IterationPlace {
  /** File name inside the iteration's folder. */
  readonly name: string;
}

export interface LogFile {
  readonly name: string;
  readonly bytes: number;
  /** Absolute. */
  readonly path: string;
}

export interface LineFollower {
  /** Contract: whole lines that came since the last call; none while there is no file. One put in its place is read from its start. */
  readNew(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface IterationReader {
  /** Contract: runs that have logs here, sorted; none in a fresh clone. */
  listRuns(): Promise<readonly string[]>;
  /** Contract: numbers, ascending; folders that stepped aside and foreign ones are not among them. None for an unknown run. */
  listIterations(runId: string): Promise<readonly number[]>;
  /** Contract: the record of a listed iteration; null while it is not complete, and when it is not readable as that record. */
  loadMeta(place: IterationPlace): Promise<IterationMeta | null>;
  /** Contract: the regular files of a listed iteration, sorted by name. */
  listFiles(place: IterationPlace): Promise<readonly LogFile[]>;
  /** Contract: a small text; never throws for what the path holds. */
  read(place: LogPlace, bytesMax: number): Promise<SourceText>;
  /**
   * Contract: hands on the text in pieces, whole characters only, in memory that does not grow with the file, waiting for each piece to
   * be taken; ends early when that gives false. Never throws for what the path holds.
   */
  stream(
    place: LogPlace,
    onPiece: (text: string) => Promise<boolean>,
  ): Promise<{ readonly kind: 'read' } | Extract<SourceText, { readonly kind: 'missing' | 'unreadable' }>>;
  /** Contract: follows a file that grows, also one that is not there yet. */
  follow(place: LogPlace): LineFollower;
}
