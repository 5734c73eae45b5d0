/** THE table of exit codes (§10): every error code has a row, every outcome a number. A code without a row does not compile. */
import type { ErrorCode } from '../core/errors.ts';
import type { Stop } from '../core/iteration/outcome-row.ts';
import type { SignalName } from '../core/types.ts';

export const exitCodes = {
  ok: 0,
  error: 1,
  complete: 2,
  stuck: 3,
  usage: 64,
  hangup: 129,
  interrupt: 130,
  terminated: 143,
} as const;

export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'success (select: a leaf is open; loop: complete)',
  error: 'error or limit; the hint is the command that helps',
  complete: 'select and step: the tree is complete',
  stuck: 'the next leaf has used all its attempts',
  usage: 'wrong usage',
  hangup: 'interrupted (SIGHUP)',
  interrupt: 'interrupted (SIGINT)',
  terminated: 'interrupted (SIGTERM)',
};

/** Exit code and plain meaning of every error. */
export const errorTable = {
  USAGE: { exit: exitCodes.usage, meaning: 'the command line is wrong' },
  INTERNAL: { exit: exitCodes.error, meaning: 'a bug in runner' },
  LAYOUT_MISSING: { exit: exitCodes.error, meaning: 'there is no .runner/, or one of its files is missing' },
  LAYOUT_EXISTS: { exit: exitCodes.error, meaning: 'there is already a .runner/' },
  LAYOUT_INVALID: {
    exit: exitCodes.error,
    meaning: 'a file of .runner/ is missing or of the wrong kind',
  },
  CONFIG_INVALID: {
    exit: exitCodes.error,
    meaning: 'config.toml, a RUNNER_* variable or a flag is not valid',
  },
  TREE_INVALID: { exit: exitCodes.error, meaning: 'tree.json breaks the schema or a rule' },
  PASSED_EDITED: { exit: exitCodes.error, meaning: 'the staged tree changes passed nodes by hand' },
  RUN_STATE_INVALID: { exit: exitCodes.error, meaning: 'run_state.json cannot be read' },
  GOAL_PLACEHOLDER: { exit: exitCodes.error, meaning: 'GOAL.md is missing, empty, or as init made it' },
  GOAL_INVALID: { exit: exitCodes.error, meaning: 'the front matter of GOAL.md cannot be read' },
  SCRIPT_INVALID: { exit: exitCodes.error, meaning: 'the script of the scripted agent is not valid' },
  NODE_CLOSED: {
    exit: exitCodes.error,
    meaning: 'the node has passed or has children, so it cannot be changed',
  },
  GIT_MISSING: { exit: exitCodes.error, meaning: 'git is not installed' },
  GIT_NOT_A_REPO: { exit: exitCodes.error, meaning: 'not inside a git work tree' },
  GIT_NO_COMMIT: { exit: exitCodes.error, meaning: 'the repository has no commit yet' },
  GIT_IDENTITY: { exit: exitCodes.error, meaning: 'git has no user.name or user.email' },
  GIT_DETACHED: { exit: exitCodes.error, meaning: 'HEAD is not on a branch' },
  GIT_PROTECTED_BRANCH: { exit: exitCodes.error, meaning: 'the branch is main or master' },
  GIT_WRONG_BRANCH: { exit: exitCodes.error, meaning: 'the branch of the run is not checked out' },
  GIT_CONFLICT: { exit: exitCodes.error, meaning: 'two branches changed the same lines' },
  GIT_DIRTY: { exit: exitCodes.error, meaning: 'there are uncommitted changes' },
  GIT_LOCKED: {
    exit: exitCodes.error,
    meaning: 'a git lock file blocks the command',
  },
  GIT_UNSUPPORTED: {
    exit: exitCodes.error,
    meaning: 'the runner cannot work safely in this kind of checkout',
  },
  GIT_FAILED: { exit: exitCodes.error, meaning: 'git refused a command' },
  GIT_HOOK: { exit: exitCodes.error, meaning: 'a git hook refused or changed the commit' },
  PUSH_REJECTED: { exit: exitCodes.error, meaning: 'another worker continues this run' },
  PUSH_FAILED: { exit: exitCodes.error, meaning: 'the last commits of the run could not be pushed' },
  RUN_NOT_STARTED: { exit: exitCodes.error, meaning: 'no run was started here' },
  RUN_ID_MISMATCH: { exit: exitCodes.error, meaning: 'GOAL.md and run_state.json name different runs' },
  RUN_UNFINISHED: { exit: exitCodes.error, meaning: 'an unfinished run has the same goal or id' },
  RUN_COMPLETE: { exit: exitCodes.error, meaning: 'a complete or finished run has done this goal' },
  RUN_UNKNOWN: { exit: exitCodes.error, meaning: 'no run of this repository has this id' },
  RUN_UNPROVEN: { exit: exitCodes.error, meaning: 'the history of the run does not prove what it says' },
  RUN_ENDED: { exit: exitCodes.error, meaning: 'the run has ended; the command needs one that has not' },
  NODE_UNKNOWN: { exit: exitCodes.error, meaning: 'no node has this id' },
  LOG_MISSING: { exit: exitCodes.error, meaning: 'there is no log of this run, iteration or file' },
  PORT_TAKEN: { exit: exitCodes.error, meaning: 'the port of `runner ui` is in use' },
  EVAL_CASE_INVALID: { exit: exitCodes.error, meaning: 'a case file is not valid' },
  EVAL_CASE_UNKNOWN: { exit: exitCodes.error, meaning: 'no case has this id' },
  EVAL_CASE_CHANGED: {
    exit: exitCodes.error,
    meaning: 'a case changed after the batch started',
  },
  EVAL_RATE_MISSED: {
    exit: exitCodes.error,
    meaning: 'fewer trials succeeded than --min-pass-rate requires',
  },
  EVAL_BATCH_UNKNOWN: { exit: exitCodes.error, meaning: 'no batch has this name' },
  EVAL_BATCH_CONFLICT: { exit: exitCodes.error, meaning: 'the results do not belong together' },
  ITERATION_LIMIT: { exit: exitCodes.error, meaning: 'max_iterations is used up' },
  RUN_TIME_LIMIT: { exit: exitCodes.error, meaning: 'limits.max_run_secs is used up' },
  RUN_TOKEN_LIMIT: { exit: exitCodes.error, meaning: 'limits.max_tokens is used up' },
  RUN_COST_LIMIT: { exit: exitCodes.error, meaning: 'limits.max_cost_usd is used up' },
  ITERATION_TIMEOUT: { exit: exitCodes.error, meaning: 'an iteration used up iteration_timeout_secs' },
  AGENT_MISSING: { exit: exitCodes.error, meaning: "the agent's program was not found" },
  AGENT_FAILING: { exit: exitCodes.error, meaning: 'the agent failed agent.max_failures times in a row' },
  AGENT_BLOCKED: {
    exit: exitCodes.error,
    meaning: 'the agent cannot work: login, quota, model, sandbox or waiting time',
  },
  GUARD_MISSING: { exit: exitCodes.error, meaning: "the guard's program was not found" },
  GUARD_NOT_STARTED: { exit: exitCodes.error, meaning: 'the guard could not be started' },
  SETUP_FAILED: { exit: exitCodes.error, meaning: 'automation.setup failed in a new work tree' },
  GUARD_RED: { exit: exitCodes.error, meaning: 'the guard is red on the merged files' },
  RUN_OPEN: { exit: exitCodes.error, meaning: 'the run is not complete' },
  SANDBOX_PATH: { exit: exitCodes.error, meaning: 'a program is another one, or missing, in the sandbox' },
  SANDBOX_MISSING: { exit: exitCodes.error, meaning: 'the sandbox that the settings ask for cannot be had' },
  LOCKED: { exit: exitCodes.error, meaning: 'another runner is working in this work tree' },
  NESTED: { exit: exitCodes.error, meaning: 'runner was called inside one of its own sessions' },
  PROCESS_ALIVE: { exit: exitCodes.error, meaning: 'a process of a session could not be ended' },
  DISK: { exit: exitCodes.error, meaning: 'a file or stdout could not be written' },
  INTERRUPTED: { exit: exitCodes.interrupt, meaning: 'stopped by a signal' },
} as const satisfies Record<ErrorCode, { readonly exit: number; readonly meaning: string }>;

const signalExits = {
  SIGHUP: exitCodes.hangup,
  SIGINT: exitCodes.interrupt,
  SIGTERM: exitCodes.terminated,
} as const satisfies Record<SignalName, number>;

export function exitOfSignal(signal: SignalName): number {
  return signalExits[signal];
}

export function exitOfStop(stop: Stop): number {
  switch (stop.kind) {
    case 'interrupted':
      return exitOfSignal(stop.signal);
    case 'paused':
      return exitCodes.ok;
    case 'stuck':
      return exitCodes.stuck;
    case 'error':
      return errorTable[stop.code].exit;
  }
}
