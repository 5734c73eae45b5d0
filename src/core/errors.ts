/**
 * The one error of the product. An error means the runner could not do its job; guard failures, retries,
 * stuck and complete are values, never errors.
 */
import type { SignalName } from './types.ts';

export const errorCodes = [
  'USAGE',
  'INTERNAL',
  'LAYOUT_MISSING',
  'LAYOUT_EXISTS',
  'LAYOUT_INVALID',
  'CONFIG_INVALID',
  'TREE_INVALID',
  'PASSED_EDITED',
  'RUN_STATE_INVALID',
  'GOAL_INVALID',
  'GOAL_PLACEHOLDER',
  'SCRIPT_INVALID',
  'NODE_CLOSED',
  'GIT_MISSING',
  'GIT_NOT_A_REPO',
  'GIT_NO_COMMIT',
  'GIT_IDENTITY',
  'GIT_DETACHED',
  'GIT_PROTECTED_BRANCH',
  'GIT_WRONG_BRANCH',
  'GIT_DIRTY',
  'GIT_CONFLICT',
  'GIT_LOCKED',
  'GIT_UNSUPPORTED',
  'GIT_FAILED',
  'GIT_HOOK',
  'PUSH_REJECTED',
  'PUSH_FAILED',
  'RUN_NOT_STARTED',
  'RUN_ID_MISMATCH',
  'RUN_UNFINISHED',
  'RUN_COMPLETE',
  'RUN_UNKNOWN',
  'RUN_ENDED',
  'NODE_UNKNOWN',
  'LOG_MISSING',
  'PORT_TAKEN',
  'EVAL_CASE_INVALID',
  'EVAL_CASE_UNKNOWN',
  'EVAL_CASE_CHANGED',
  'EVAL_RATE_MISSED',
  'EVAL_BATCH_UNKNOWN',
  'EVAL_BATCH_CONFLICT',
  'ITERATION_LIMIT',
  'RUN_TIME_LIMIT',
  'RUN_TOKEN_LIMIT',
  'RUN_COST_LIMIT',
  'ITERATION_TIMEOUT',
  'AGENT_MISSING',
  'AGENT_FAILING',
  'AGENT_BLOCKED',
  'GUARD_MISSING',
  'GUARD_NOT_STARTED',
  'SETUP_FAILED',
  'GUARD_RED',
  'RUN_OPEN',
  'RUN_UNPROVEN',
  'SANDBOX_MISSING',
  'SANDBOX_PATH',
  'LOCKED',
  'NESTED',
  'PROCESS_ALIVE',
  'DISK',
  'INTERRUPTED',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface RunnerErrorInit {
  readonly code: ErrorCode;
  /** What is wrong and where, one sentence. */
  readonly message: string;
  /** The command that helps, or the setting to change. An empty one becomes the command that explains the code. */
  readonly hint: string;
  /** More lines, already sorted (paths, violations). */
  readonly details?: readonly string[];
  readonly cause?: unknown;
  /** What stopped us, with INTERRUPTED. */
  readonly signal?: SignalName;
  /** The least value that helps, of the setting that the hint raises further. */
  readonly least?: number;
}

export class RunnerError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: readonly string[];
  readonly signal: SignalName | null;
  readonly least: number | null;

  constructor(init: RunnerErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'RunnerError';
    this.code = init.code;
    this.hint = init.hint.trim() === '' ? `runner explain ${init.code}` : init.hint;
    this.details = init.details ?? [];
    this.signal = init.signal ?? null;
    this.least = init.least ?? null;
  }

  /** The same with other help. */
  withHint(hint: string): RunnerError {
    const { code, message, details, signal } = this;
    const told = { code, message, details, hint, cause: this };
    return new RunnerError(signal === null ? told : { ...told, signal });
  }
}

/** A broken assumption ends as INTERNAL instead of going on with a wrong state. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new RunnerError({
      code: 'INTERNAL',
      message: `broken invariant: ${message}`,
      hint: 'this is a defect of runner; please report it with the text above',
    });
  }
}
