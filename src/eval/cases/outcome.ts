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
    /** A signal that it cannot answer ended it, and not ours. */
    readonly is_killed: boolean;
    /** It began a session. */
    readonly has_session: boolean;
  };
  /** One an iteration, in order. */
  readonly sessions: readonly SessionFact[];
  /** The agent is a line of the shell, which says by its exit code that there is no such program. */
  readonly is_shell_line: boolean;
  readonly checks: readonly CheckResult[];
  /** Iterations whose prompt is not the recorded one; null: no replay. */
  readonly replay_misses: readonly number[] | null;
}

/** What the sessions of an iteration came to, as the loop tells it. */
export interface SessionFact {
  /** Null: the agent answered. */
  readonly failure: string | null;
  readonly message: string;
  /** How long it waited for an agent that was rate limited, overloaded or offline. */
  readonly waited_secs: number;
  /** Of the agent; null: not known. */
  readonly exit_code: number | null;
}

export interface Judgement {
  readonly outcome: EvalOutcome;
  readonly reason: EvalReason | null;
  /** What the reason alone does not say, for people; null: nothing. */
  readonly told: string | null;
}

/** Reasons that count against the agent: it had its chance and did not solve the case. */
export const agentReasons = ['iteration_limit', 'run_limit', 'timeout', 'agent_failed'] as const;

type AgentReason = (typeof agentReasons)[number];

/** The harness could not judge the agent. */
export type HarnessReason = Exclude<EvalReason, AgentReason | 'requires_missing'>;

const completeExit = 0;
const stuckExit = 3;

/** What a shell ends with when it cannot run a program, or cannot find it. */
const missingExits = [126, 127];

/** Errors that a session brings about by what it does to the repository or the runner. Before any session they are the case's. */
const brokenBySession = [
  ...['GIT_NOT_A_REPO', 'GIT_NO_COMMIT', 'GIT_DETACHED', 'GIT_WRONG_BRANCH', 'GIT_DIRTY', 'GIT_CONFLICT'],
  ...['GIT_LOCKED', 'GIT_FAILED', 'LAYOUT_MISSING', 'LAYOUT_INVALID', 'CONFIG_INVALID', 'TREE_INVALID'],
  ...['RUN_STATE_INVALID', 'GOAL_INVALID', 'RUN_NOT_STARTED', 'RUN_ID_MISMATCH', 'INTERRUPTED'],
];

export function judgeOutcome(facts: TrialFacts): Judgement {
  if (facts.missing.length > 0) return judged('skipped', 'requires_missing');
  if (facts.failure !== null) return judged('error', facts.failure);
  // Whatever came after another prompt says nothing about the recording.
  if (facts.replay_misses !== null && facts.replay_misses.length > 0) return judged('error', 'replay_miss');

  const { loop } = facts;
  if (loop.is_late) return judgeLate(facts);
  if (loop.exit_code === completeExit) return judgeChecks(facts.checks);
  if (loop.exit_code === stuckExit) return judged('stuck', null);
  const failed = lastFailure(facts);
  if (failed !== null && isMissing(facts)) return judged('error', 'agent_missing', failed.message);
  const reason = agentReasonOf(facts);
  if (reason === null) return judged('error', 'loop_failed');
  const isFailing = failed !== null && isLimit(reason);
  return isFailing
    ? judged('fail', 'agent_failed', `no session had an answer; the last: ${failed.message}`)
    : judged('fail', reason);
}

function judged(outcome: EvalOutcome, reason: EvalReason | null, told: string | null = null): Judgement {
  return { outcome, reason, told };
}

/** The time that an agent's provider took is not the agent's. */
function judgeLate({ sessions }: TrialFacts): Judgement {
  const waited = sessions.reduce((sum, { waited_secs }) => sum + waited_secs, 0);
  return waited === 0
    ? judged('fail', 'timeout')
    : judged('error', 'agent_unavailable', `it waited ${Math.round(waited)} s for the agent`);
}

function judgeChecks(checks: readonly CheckResult[]): Judgement {
  if (checks.some(isUnable)) return judged('error', 'toolchain_missing');

  return judged(checks.every(({ passed }) => passed) ? 'success' : 'fail', null);
}

/** A program of the machine that is missing says nothing about the work; one that the agent should have made does. */
function isUnable({ command }: CheckResult): boolean {
  return command !== undefined && command.start_error !== null && command.is_own !== true;
}

/** Null: a session had an answer, or there was none. */
function lastFailure({ sessions }: TrialFacts): SessionFact | null {
  return sessions.every(({ failure }) => failure !== null) ? (sessions.at(-1) ?? null) : null;
}

function isMissing({ is_shell_line, sessions }: TrialFacts): boolean {
  return is_shell_line && missingExits.some((code) => code === sessions[0]?.exit_code);
}

function isLimit(reason: AgentReason): boolean {
  return reason === 'iteration_limit' || reason === 'run_limit';
}

function agentReasonOf({ loop }: TrialFacts): AgentReason | null {
  const { end, error_code, is_killed, has_session } = loop;
  // Only what it runs can reach it.
  if (is_killed) return 'agent_failed';
  if (end?.['status'] === 'limit') return 'max_iterations' in end ? 'iteration_limit' : 'run_limit';
  if (error_code === 'AGENT_FAILING') return 'agent_failed';
  if (error_code === 'ITERATION_TIMEOUT') return 'timeout';
  return has_session && error_code !== null && brokenBySession.includes(error_code) ? 'agent_failed' : null;
}
