/** What people are shown while an iteration runs. Types only. */

export type RunEvent =
  | { readonly type: 'recovering'; readonly run_id: string; readonly iter: number; readonly phase: string }
  | { readonly type: 'recovered'; readonly run_id: string; readonly iter: number; readonly message: string }
  | {
      readonly type: 'iteration_started';
      readonly run_id: string;
      readonly iter: number;
      readonly node_id: string;
      readonly node_path: string;
      readonly purpose: string;
      readonly agent: string;
      /** Which login the agent uses; null: not known. */
      readonly credential: string | null;
      readonly budget_ms: number;
    }
  | { readonly type: 'baseline_started'; readonly command: string; readonly budget_ms: number }
  | { readonly type: 'baseline_ended'; readonly result: string; readonly message: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'guard' | 'review' | 'commit' }
  | { readonly type: 'activity'; readonly line: string }
  /** Told again every second while it lasts; the first time with `reason`. */
  | { readonly type: 'waiting'; readonly reason: string | null; readonly left_ms: number }
  | { readonly type: 'note'; readonly message: string }
  | {
      readonly type: 'iteration_ended';
      readonly run_id: string;
      readonly iter: number;
      readonly node_id: string;
      readonly status: string;
      readonly guard: string;
      readonly message: string;
    };

export interface Reporter {
  /** Contract: shows people what is happening; never throws, never blocks. */
  report(event: RunEvent): void;
}
