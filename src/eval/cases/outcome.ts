/** Decides the outcome of a trial from the end of its loop and the results of its checks. It does not know how either was found. */
import type { CheckResult, EvalOutcome, EvalReason } from './types.ts';

export interface TrialFacts {
  /** Programs the case requires that are not here. */
  readonly missing: readonly string[];
  /** What went wrong before the loop could end by itself; null: nothing. */
  readonly failure: Exclude<EvalReason, 'requires_missing'> | null;
  readonly loop: {
    /** Null when a signal ended it, or when it was not started. */
    readonly exit_code: number | null;
    /** Its last JSON line; null when there is none. */
    readonly end: Readonly<Record<string, unknown>> | null;
  };
  readonly checks: readonly CheckResult[];
  /** Iterations whose prompt is not the recorded one; null: no replay. */
  readonly replay_misses: readonly number[] | null;
}

export interface Judgement {
  readonly outcome: EvalOutcome;
  readonly reason: EvalReason | null;
}

const completeExit = 0;
const stuckExit = 3;

export function judgeOutcome(facts: TrialFacts): Judgement {
  if (facts.missing.length > 0) return { outcome: 'skipped', reason: 'requires_missing' };
  if (facts.failure !== null) return { outcome: 'error', reason: facts.failure };
  // Whatever came after another prompt says nothing about the recording.
  if (facts.replay_misses !== null && facts.replay_misses.length > 0)
    return { outcome: 'error', reason: 'replay_miss' };

  if (facts.loop.exit_code === completeExit) return judgeChecks(facts.checks);
  if (facts.loop.exit_code === stuckExit) return { outcome: 'stuck', reason: null };
  return { outcome: 'error', reason: reasonOf(facts.loop.end) };
}

function judgeChecks(checks: readonly CheckResult[]): Judgement {
  // A check that could not run says nothing about the work.
  if (checks.some(({ command }) => command !== undefined && command.start_error !== null))
    return { outcome: 'error', reason: 'toolchain_missing' };

  return { outcome: checks.every(({ passed }) => passed) ? 'success' : 'fail', reason: null };
}

function reasonOf(end: TrialFacts['loop']['end']): EvalReason {
  if (end?.['status'] !== 'limit') return 'loop_failed';
  return 'max_iterations' in end ? 'iteration_limit' : 'run_limit';
}
