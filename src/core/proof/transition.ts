/** What is known of one transition of a run, and what a check of it can find (§15). Types only. */
import type { IterationSubject } from '../iteration/commit-message.ts';
import type { TreeFile } from '../guard/ratchet.ts';
import type { SourceText } from '../types.ts';
import type { Trailers } from './trailers.ts';

/** A commit on the first-parent line of a run. */
export interface LineCommit {
  readonly id: string;
  /** Of git. */
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

interface Common {
  readonly commit: LineCommit;
  readonly trailers: Trailers;
  /** The commit it is compared with; null: there is none. */
  readonly from: string | null;
}

export interface IterationTransition extends Common {
  readonly kind: 'iteration';
  readonly subject: IterationSubject;
  /** B, where it is on the line below; null: it is not, or the trailer is missing. */
  readonly baseline: string | null;
  /** The newest commit of the run below that recorded an iteration, else the one that began it; null: not known. */
  readonly own: string | null;
}

export type Transition =
  | IterationTransition
  /** `isFirst`: the run begins with it. */
  | (Common & { readonly kind: 'start'; readonly isFirst: boolean })
  | (Common & { readonly kind: 'person'; readonly command: string })
  | (Common & { readonly kind: 'plain' });

/** Files of `.runner/state/` in a commit. */
export interface StateFiles {
  readonly tree: SourceText;
  readonly runState: SourceText;
  readonly rejected: SourceText;
}

/** What became of a path; null: it is gone. */
export interface Change {
  readonly path: string;
  readonly file: Pick<TreeFile, 'mode' | 'oid'> | null;
}

export type Entries = ReadonlyMap<string, Pick<TreeFile, 'mode' | 'oid'>>;

/** What git says about a transition. */
export interface Facts {
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  /** At `from`, at B (`from` again where there is no B), and at the commit. */
  readonly before: StateFiles;
  readonly base: StateFiles;
  readonly after: StateFiles;
  /** config.toml at B as a value; null: it cannot be read. */
  readonly config: unknown;
  /** Below `.runner/`, relative to it, against `from`. */
  readonly inside: readonly Change[];
  /** Paths outside `.runner/` that differ from B (`from` where there is none). */
  readonly outside: readonly string[];
  /** The same against the commit before the node's first iteration; null: not known. */
  readonly sinceNode: readonly string[] | null;
  /** The same between `own` and B: what people changed. */
  readonly touched: readonly string[];
  /** Versions of the guard's own files: in the commit and at B. */
  readonly entries: { readonly after: Entries; readonly base: Entries };
  /** Tree id of everything outside `.runner/` in the commit of an iteration; null: not known. */
  readonly workTree: string | null;
  /** Hashes of the files of the iteration's log that are there, by name. */
  readonly logs: ReadonlyMap<string, string>;
}

/** What does not follow: a rule, what it calls for, and what the history has. */
export interface Problem {
  readonly rule: string;
  readonly expected: string;
  readonly found: string;
}
