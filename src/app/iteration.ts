/** What one iteration passes from phase to phase, and its result. Types only. */
import type { GuardRun, IterationRecord, JournalBase, SessionFacts } from '../core/agents/session.ts';
import type { LimitReached } from '../core/agents/usage.ts';
import type { Stop } from '../core/iteration/outcome-row.ts';
import type { LastRecord, Ratchet, SelectedLeaf, TreeNode } from '../core/types.ts';
import type { RefTip } from '../ports/git.ts';
import type { ChangedReferences } from './references.ts';

/** The ground an iteration is judged on: read from git and the journal, never from what a session may have touched. */
export interface Ground {
  readonly journal: JournalBase;
  /** The commit whose runner-owned files count: B, or what a person committed on top of it (§7). */
  readonly commit: string;
  readonly before: TreeNode;
  readonly last: LastRecord | null;
  /** The newest commit up to B that recorded an iteration, when this process made it; null: git must be asked. */
  readonly own: string | null;
  /** Refs before the session, or when they were last put in order; null: not known. */
  readonly refs: readonly RefTip[] | null;
  /** Finished by recovery, not by the process that began it. */
  readonly recovered: boolean;
}

/** After a session, with git and the runner's files put in order. */
export interface EndedSession extends Ground {
  readonly session: SessionFacts;
  /** Tree id of the work outside `.runner/` as it is now. */
  readonly workTree: string;
  /** The check's own files as they count for work on B, once they were needed. */
  readonly references?: Ratchet;
  /** How they are in the work, or in an earlier state of it. */
  readonly changed?: ChangedReferences;
}

/** The work after its guard. */
export interface GuardedWork {
  readonly guard: GuardRun;
  readonly ended: EndedSession;
}

export interface GuardBudget {
  readonly deadlineMs: number;
  /** Guard runs of this iteration that a crash has cut off (§7). */
  readonly cutOffs: number;
}

export type StepRecord = IterationRecord;

export type StepOutcome =
  | { readonly kind: 'complete'; readonly run_id: string }
  | { readonly kind: 'stuck'; readonly run_id: string; readonly leaf: SelectedLeaf }
  | {
      readonly kind: 'limit';
      readonly run_id: string;
      readonly next_iter: number;
      readonly max_iterations: number;
    }
  | ({ readonly kind: 'run_limit'; readonly run_id: string } & LimitReached)
  | { readonly kind: 'recorded'; readonly record: StepRecord; readonly stop: Stop | null }
  /** The agent was blocked before it changed anything: no iteration is used up (§5). */
  | { readonly kind: 'not_recorded'; readonly run_id: string; readonly stop: Stop };
