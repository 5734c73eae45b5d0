/** What one iteration carries from phase to phase, and what it ends as. Types only. */
import type { Stop } from '../core/iteration/outcome-row.ts';
import type {
  GuardRun,
  IterationRecord,
  JournalBase,
  ReviewRun,
  SessionFacts,
  Usage,
} from '../core/agents/session.ts';
import type { LimitReached } from '../core/agents/usage.ts';
import type { Config, LastRecord, SelectedLeaf, TreeNode } from '../core/types.ts';

/** The ground an iteration is judged on: read from git and the journal, never from what a session may have touched. */
export interface Ground {
  readonly journal: JournalBase;
  /** The commit whose runner-owned files stand: B, or what a person committed on top of it (§7). */
  readonly commit: string;
  readonly before: TreeNode;
  readonly last: LastRecord | null;
  /** Finished by recovery, not by the process that began it. */
  readonly recovered: boolean;
}

export interface EndedSession extends Ground {
  readonly session: SessionFacts;
}

/** What is known of an iteration once its work was checked; recovery may know it from the journal (§7). */
export interface Findings {
  readonly guard: GuardRun | null;
  readonly review: ReviewRun | null;
  /** What reviewers used that a crash cut off. */
  readonly reviewSpent: Usage;
  /** Tree id of the work outside `.runner/` to commit; for a pass, the bytes the guard saw. */
  readonly workTree: string;
  readonly cutOffs: number;
  /** Set when a user hook has already refused this commit. */
  readonly hookOutput: string | null;
  /** Whether the runner's own files were put in order since anything last ran (§2). */
  readonly isRestored: boolean;
  /** The iteration's commit, when a crash came after it: only the logs are finished (§7). */
  readonly committed: string | null;
  /** The `git.*` settings in force now, when a commit is tried again (§5). */
  readonly git: Config['git'] | null;
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
