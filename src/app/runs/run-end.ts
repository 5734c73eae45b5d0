/** How a background run ended, as its record and its caller say it (§13.4). */
import { RunnerError } from '../../core/errors.ts';
import type { Stop } from '../../core/iteration/outcome-row.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { LoopOutcome } from '../loop.ts';

export interface RunEnd {
  readonly status: RunRecord['status'];
  readonly reason: string | null;
  readonly errors: readonly string[];
}

export function endOfLoop(outcome: LoopOutcome): RunEnd {
  switch (outcome.kind) {
    case 'complete':
      return { status: 'complete', reason: null, errors: [] };
    case 'stuck':
      return { status: 'stuck', reason: `${outcome.leaf.node.id} has used all its attempts`, errors: [] };
    case 'limit':
      return { status: 'limit', reason: `max_iterations (${outcome.max_iterations})`, errors: [] };
    case 'run_limit':
      return { status: 'limit', reason: `limits.${outcome.limit} (${outcome.max})`, errors: [] };
    case 'stopped':
      return endOfStop(outcome.stop);
  }
}

function endOfStop(stop: Stop): RunEnd {
  switch (stop.kind) {
    case 'interrupted':
      return { status: 'canceled', reason: `stopped by ${stop.signal}`, errors: [] };
    case 'stuck':
      return { status: 'stuck', reason: null, errors: [] };
    case 'error':
      return { status: 'failed', reason: stop.code, errors: [`${stop.message} (${stop.hint})`] };
  }
}

/** An error that ended the process's work; a failed setup has a word of its own (§13.2). */
export function endOfError(error: unknown): RunEnd {
  if (!(error instanceof RunnerError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 'failed', reason: 'INTERNAL', errors: [message] };
  }
  const { code, message, hint, details, signal } = error;
  if (signal !== null) return { status: 'canceled', reason: `stopped by ${signal}`, errors: [] };
  const reason = code === 'SETUP_FAILED' ? 'setup' : code;
  return { status: 'failed', reason, errors: [`${message} (${hint})`, ...details] };
}

/** The same for `notify.command`, which gets what a loop would send. */
export function stopOfError(error: unknown): Stop {
  if (!(error instanceof RunnerError))
    return { kind: 'error', code: 'INTERNAL', message: String(error), hint: 'runner run show' };
  const { code, message, hint, signal } = error;
  return signal === null ? { kind: 'error', code, message, hint } : { kind: 'interrupted', signal };
}
