/**
 * Types of what `runner ui --control` sends and takes beyond the read-only API. Server and pages share them; this file holds no
 * behaviour. On-disk names keep their on-disk spelling.
 */
import type { HeldIds } from '../runs/free-id.ts';
import type { AuditLine, RunRecord } from '../runs/record.ts';
import type { BoardLeaf } from './board.ts';
import type { RunsAnswer } from './web-api.ts';

/** What can be done to a run from the pages. */
export type RunAction = 'cancel' | 'pause' | 'resume';

/** As `Situation`, of a background run that rests. */
export interface RunSituation {
  readonly sentence: string;
  readonly hint: string;
  readonly commands: readonly string[];
}

/** A background run as the pages show it: its record with the true status, and nothing that only the machine needs. */
export interface RunView extends Pick<
  RunRecord,
  | 'run_id'
  | 'status'
  | 'reason'
  | 'title'
  | 'branch'
  | 'base_branch'
  | 'agent'
  | 'model'
  | 'sandbox'
  | 'iterations'
  | 'leaves'
  | 'node'
  | 'last_message'
  | 'errors'
  | 'tokens'
  | 'cost_usd'
  | 'started_at'
  | 'updated_at'
  | 'finished_at'
> {
  readonly is_alive: boolean;
  /** Null: it goes on, or has ended. */
  readonly situation: RunSituation | null;
  readonly audit: readonly AuditLine[];
  readonly actions: readonly RunAction[];
  /** The command that merges it, ready to be typed; null: there is nothing to merge. */
  readonly finish_command: string | null;
}

/** A question of an agent that a person can answer. */
export interface QuestionView {
  readonly id: string;
  readonly text: string;
  readonly is_answered: boolean;
}

/** `/api/runs` of a server with control: the same, and the background runs of the repository, newest first. */
export interface ControlRunsAnswer extends RunsAnswer {
  readonly background: readonly RunView[];
}

/** `/api/runs/{id}?tail=200`. */
export interface RunAnswer {
  readonly run: RunView;
  /** The last lines of its progress. */
  readonly tail: readonly string[];
  /** Empty: its tree cannot be read. */
  readonly leaves: readonly BoardLeaf[];
  readonly questions: readonly QuestionView[];
}

/** `/api/control`: what the dialog for a new run begins with. */
export interface ControlAnswer {
  /** The body of GOAL.md; null: it cannot be read. */
  readonly goal: string | null;
  /** Ids that a new run cannot have; the page proposes one that is free. */
  readonly held: HeldIds;
  /** Questions of the run in this folder. */
  readonly questions: readonly QuestionView[];
}

/** `POST /api/runs/start`. */
export interface StartRequest {
  /** Text of the goal; null: GOAL.md as it is. */
  readonly goal: string | null;
  /** Null: the proposal. */
  readonly name: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly max_iterations: number | null;
}

/** Answer to every `POST`. */
export interface ActionAnswer {
  readonly run_id: string | null;
  readonly action: string;
  /** A loop is at work: it is applied before the next iteration. */
  readonly is_queued: boolean;
}
