/** Decides the outcome of a trial from the end of its loop and the results of its checks. It does not know how either was found. */
import type { CheckResult, EvalOutcome, EvalReason } from './types.ts';

export interface TrialFacts {
  /** Programs the case requires that are not here. */
  readonly missing: readonly string[];
  /** What kept the harness from doing its work; null: nothing. */
  readonly failure: HarnessReason | null;
  readonly loop: {
    /** Null when a signal ended it, or when it was not started. */
    readonly exit_code: number | null;
    /** Its last JSON line; null when there is none. */
    readonly end: Readonly<Record<string, unknown>> | null;
    /** Code of the error it ended with; null: none. */
    readonly error_code: string | null;
    /** The time of the case was over. */
    readonly is_late: boolean;
  };
  readonly checks: readonly CheckResult[];
  /** Iterations whose prompt is not the recorded one; null: no replay. */
  readonly replay_misses: readonly number[] | null;
}

export interface Judgement {
  readonly outcome: EvalOutcome;
  readonly reason: EvalReason | null;
}

/** Reasons that count against the agent: it had its chance and did not solve the case. */
export const agentReasons = ['iteration_limit', 'run_limit', 'timeout', 'agent_failed'] as const;

type AgentReason = (typeof agentReasons)[number];

/** The harness could not judge the agent. */
export type HarnessReason = Exclude<EvalReason, AgentReason | 'requires_missing'>;

const completeExit = 0;
const stuckExit = 3;

export function judgeOutcome(facts: TrialFacts): Judgement {
  if (facts.missing.length > 0) return { outcome: 'skipped', reason: 'requires_missing' };
  if (facts.failure !== null) return { outcome: 'error', reason: facts.failure };
  // Whatever came after another prompt says nothing about the recording.
  if (facts.replay_misses !== null && facts.replay_misses.length > 0)
    return { outcome: 'error', reason: 'replay_miss' };

  const { loop } = facts;
  if (loop.is_late) return { outcome: 'fail', reason: 'timeout' };
  if (loop.exit_code === completeExit) return judgeChecks(facts.checks);
  if (loop.exit_code === stuckExit) return { outcome: 'stuck', reason: null };
  const reason = agentReasonOf(loop);
  return reason === null ? { outcome: 'error', reason: 'loop_failed' } : { outcome: 'fail', reason };
}

function judgeChecks(checks: readonly CheckResult[]): Judgement {
  if (checks.some(isUnable)) return { outcome: 'error', reason: 'toolchain_missing' };

  return { outcome: checks.every(({ passed }) => passed) ? 'success' : 'fail', reason: null };
}

/** A program of the machine that is missing says nothing about the work; one that the agent should have made does. */
function isUnable({ command }: CheckResult): boolean {
  return command !== undefined && command.start_error !== null && command.is_own !== true;
}

function agentReasonOf({ end, error_code }: TrialFacts['loop']): AgentReason | null {
  if (end?.['status'] === 'limit') return 'max_iterations' in end ? 'iteration_limit' : 'run_limit';
  if (error_code === 'AGENT_FAILING') return 'agent_failed';
  return error_code === 'ITERATION_TIMEOUT' ? 'timeout' : null;
}
