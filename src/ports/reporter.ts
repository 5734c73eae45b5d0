/** What people and scripts see while a run goes on. Types only. */
import type { AgentEvent, EventPlace } from '../core/agents/agent-events.ts';
import type { Progress } from '../core/tree/progress.ts';
import type { Rings } from '../core/iteration/rings.ts';
import type { AgentIdentity, IterationRecord } from '../core/agents/session.ts';
import type { Purpose } from '../core/types.ts';
import type { Spent } from '../core/agents/usage.ts';

export type RunEvent =
  /** The lock is held. `run_id` is null when the run state cannot be read. */
  | { readonly type: 'run_started'; readonly command: 'step' | 'loop'; readonly run_id: string | null }
  | { readonly type: 'recovering'; readonly run_id: string; readonly iter: number; readonly phase: string }
  | { readonly type: 'recovered'; readonly run_id: string; readonly iter: number; readonly message: string }
  | {
      readonly type: 'iteration_started';
      readonly run_id: string;
      readonly iter: number;
      readonly node_id: string;
      readonly node_path: string;
      readonly title: string;
      readonly attempts: number | null;
      readonly max_attempts: number | null;
      readonly max_iterations: number;
      readonly purpose: Purpose;
      readonly agent: AgentIdentity;
      /** Which login the agent uses; null: not known. */
      readonly credential: string | null;
      readonly budget_ms: number;
      /** Which rings around the judge are on. */
      readonly rings: Rings;
      readonly progress: Progress;
      /** What the run has used before this iteration. */
      readonly totals: Spent;
    }
  | { readonly type: 'baseline_started'; readonly command: string; readonly budget_ms: number }
  | { readonly type: 'baseline_ended'; readonly result: string; readonly message: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'guard' | 'review' | 'commit' }
  /** One readable line of what somebody just did; what agents do comes as an `agent_event` too, where there is one. */
  | { readonly type: 'activity'; readonly source: 'agent' | 'review' | 'guard'; readonly line: string }
  /** As written to `events.jsonl`, but not yet cleaned for display. */
  | { readonly type: 'agent_event'; readonly place: EventPlace; readonly event: AgentEvent }
  /** Repeated every second while it lasts; the first time with `reason`. */
  | { readonly type: 'waiting'; readonly reason: string | null; readonly left_ms: number }
  | { readonly type: 'waited'; readonly waited_ms: number }
  | { readonly type: 'note'; readonly message: string }
  | { readonly type: 'iteration_ended'; readonly record: IterationRecord; readonly progress: Progress };

export interface Reporter {
  /** Contract: tells what is happening; never throws, never blocks. */
  report(event: RunEvent): void;
  /** Events it does not want need not be produced. */
  readonly wants: {
    /** Of an agent's activity every line, or only the latest of many. */
    readonly everyActivity: boolean;
    readonly agentEvents: boolean;
  };
}
