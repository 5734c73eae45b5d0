/** What one iteration carries from phase to phase, and what it ends as. Types and the small steps every phase shares. */
import type { Stop } from '../core/outcome-row.ts';
import type { JournalBase, SessionFacts } from '../core/session.ts';
import type { AgentStatus, GuardStatus, LastRecord, SelectedLeaf, TreeNode } from '../core/types.ts';

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

export interface StepRecord {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  readonly node_path: string;
  readonly status: AgentStatus;
  readonly guard: GuardStatus;
  readonly commit: string;
  readonly message: string;
}

export type StepOutcome =
  | { readonly kind: 'complete'; readonly run_id: string }
  | { readonly kind: 'stuck'; readonly run_id: string; readonly leaf: SelectedLeaf }
  | {
      readonly kind: 'limit';
      readonly run_id: string;
      readonly next_iter: number;
      readonly max_iterations: number;
    }
  | {
      readonly kind: 'time_limit';
      readonly run_id: string;
      readonly seconds: number;
      readonly max_run_secs: number;
    }
  | { readonly kind: 'recorded'; readonly record: StepRecord; readonly stop: Stop | null }
  /** The agent was blocked before it changed anything: no iteration is used up (§5). */
  | { readonly kind: 'not_recorded'; readonly run_id: string; readonly stop: Stop };
