/**
 * Types of everything the server of `runner ui` sends, and of what `runner export` puts into its page. Server and pages share
 * them; this file holds no behaviour. On-disk names keep their on-disk spelling.
 */
import type { LimitsUse, OpenIteration, Progress } from './overview.ts';
import type { Situation } from './situation.ts';
import type { CheckoutState } from '../iteration/checkout-plan.ts';
import type { IterationFileName } from './iteration-files.ts';
import type { Question } from '../agents/questions.ts';
import type { IterationMeta } from '../agents/session.ts';
import type { Setting } from '../config/setting-list.ts';
import type { RunState, TreeNode } from '../types.ts';

/** With every status from 400 on. `code` is an error code of the product, or the word for the status (`not_found`). */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

/** `/api/tree`. */
export type TreeAnswer = TreeNode;

/** `/api/run-state`. */
export type RunStateAnswer = RunState;

/** One iteration as `status` and `log` print it. */
export type StatusIteration = Pick<
  IterationMeta,
  | 'run_id'
  | 'iter'
  | 'node_id'
  | 'node_path'
  | 'mode'
  | 'status'
  | 'guard'
  | 'started_at'
  | 'ended_at'
  | 'duration_ms'
  | 'tokens'
  | 'cost_usd'
  | 'failure'
  | 'outcome'
  | 'recovered'
> & { readonly commit: string | null };

interface NextLeaf {
  readonly id: string;
  readonly path: string;
  readonly attempts: number;
  readonly max_attempts: number;
}

export type StatusNext =
  | { readonly status: 'complete' }
  | { readonly status: 'repair'; readonly id: string }
  | ({ readonly status: 'stuck' } & NextLeaf)
  | ({ readonly status: 'open'; readonly mode?: 'decompose' } & NextLeaf);

/** `/api/status`: what `runner status --json` prints (schemas/output/v1/status.schema.json). */
export interface StatusAnswer {
  readonly command: 'status';
  readonly run_id: string | null;
  readonly branch: string | null;
  readonly agent: string;
  readonly situation: Situation;
  readonly progress: Progress;
  readonly next: StatusNext;
  /** Oldest first, the last five. */
  readonly last: readonly StatusIteration[];
  readonly limits: LimitsUse;
  readonly checkout: CheckoutState;
  readonly questions: readonly string[];
  /** Who is at work; null: nobody. */
  readonly runner: {
    readonly pid: number;
    readonly command: string;
    readonly started_at: string;
    readonly is_here: boolean;
  } | null;
  /** Under way; without a `runner`: left open by a crash. */
  readonly iteration: OpenIteration | null;
}

/** `/api/iterations`. */
export interface IterationsAnswer {
  readonly runs: readonly { readonly run_id: string; readonly iterations: readonly number[] }[];
}

/** What a list needs of an iteration. While meta.json is not there only `iter`, the flags and, for the open one, node and start are known. */
export interface IterationRow {
  readonly iter: number;
  readonly node_id: string | null;
  readonly node_path: string | null;
  readonly mode: IterationMeta['mode'] | null;
  readonly status: IterationMeta['status'] | null;
  readonly guard: IterationMeta['guard'] | null;
  readonly outcome: string | null;
  readonly failure: IterationMeta['failure'];
  /** Name of the agent. */
  readonly agent: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: IterationMeta['duration_ms'] | null;
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly changed_files: number | null;
  readonly commit: string | null;
  readonly recovered: boolean;
  /** meta.json is there. */
  readonly is_complete: boolean;
  /** A runner is at work on it. */
  readonly is_running: boolean;
}

/** `/api/runs`, and with `?run=<id>` the one run. Runs by id ascending, rows by number ascending. */
export interface RunsAnswer {
  readonly runs: readonly {
    readonly run_id: string;
    /** The run of run_state.json. */
    readonly is_current: boolean;
    readonly rows: readonly IterationRow[];
  }[];
}

/** `/api/iterations/{run}/{iter}`. */
export interface IterationAnswer {
  readonly meta: IterationMeta | null;
  /** output.json as parsed, whatever it holds; null: not there, or no JSON. */
  readonly output: unknown;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly is_running: boolean;
}

/** `/api/config`: what `runner config list --json` prints. */
export interface ConfigAnswer {
  readonly command: 'config list';
  readonly settings: readonly Setting[];
}

/** `/api/project`: what the run is about, and what is asked of a person. */
export interface ProjectAnswer {
  /** Name of the project folder. */
  readonly folder: string;
  /** Of GOAL.md; empty: it says nothing. */
  readonly goal_title: string;
  /** Open ones, as they are committed: those of a session at work have no number yet. */
  readonly questions: readonly Question[];
}

/** A text of which only the first `text` bytes may be shown when it is very long: then `bytes` is more. */
export interface MemoryText {
  readonly text: string;
  readonly bytes: number;
}

/** `/api/memory`: null where there is no file. */
export interface MemoryAnswer {
  readonly assumptions: MemoryText | null;
  readonly questions: MemoryText | null;
  readonly feedback: MemoryText | null;
  readonly improvements: MemoryText | null;
}

/** `/events`: the data of each event by its name. `connected` and `resync` have no place in the numbered sequence. */
export interface UiEvents {
  /** The first of every connection: the id of the newest event so far. */
  readonly connected: { readonly id: number };
  /** Missed events are no longer known: load everything again. */
  readonly resync: Readonly<Record<string, never>>;
  readonly tree_changed: Readonly<Record<string, never>>;
  readonly run_state_changed: Readonly<Record<string, never>>;
  readonly iteration_added: { readonly run_id: string; readonly iter: number };
  readonly iteration_completed: { readonly run_id: string; readonly iter: number };
  /** A file of an iteration has another size; `bytes` is its size now. */
  readonly stream_updated: {
    readonly run_id: string;
    readonly iter: number;
    readonly file: string;
    readonly bytes: number;
  };
  readonly config_changed: Readonly<Record<string, never>>;
  readonly memory_changed: Readonly<Record<string, never>>;
  /** The record or the progress of a background run, or whether its process lives. Only of a server with control. */
  readonly run_changed: { readonly run_id: string };
}

export type UiEventName = keyof UiEvents;

/** A file of an iteration inside an exported page. */
export interface ExportedFile {
  /** Without secrets. Of a long file the beginning and the end, with a line between them that says how much is left out. */
  readonly text: string;
  /** Size on disk. */
  readonly bytes: number;
  /** Bytes of the file that are not in `text`. */
  readonly bytes_cut: number;
}

export interface ExportedIteration extends IterationAnswer {
  /** By name. A file that is listed in `files` and missing here was left out for its size; `cuts` says so. */
  readonly texts: Readonly<Partial<Record<IterationFileName, ExportedFile>>>;
}

/**
 * What `runner export --html` writes into `<script type="application/json" id="runner-data">`. The pages use it in place of the server
 * when it is there.
 */
export interface ExportedData {
  readonly version: 1;
  readonly exported_at: string;
  readonly runner_version: string;
  /** The run that the page is about; null: no run has been started. */
  readonly run_id: string | null;
  readonly tree: TreeAnswer | null;
  readonly run_state: RunStateAnswer | null;
  readonly status: StatusAnswer | null;
  readonly runs: RunsAnswer;
  /** By `<run>/<iter>`. */
  readonly iterations: Readonly<Record<string, ExportedIteration>>;
  readonly config: ConfigAnswer | null;
  readonly memory: MemoryAnswer;
  readonly project: ProjectAnswer | null;
  /** What was cut, left out or replaced, one line each, for people. */
  readonly cuts: readonly string[];
}
