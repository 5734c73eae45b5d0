/** How a background run ended, as its record and its caller say it (§13.4). */
import { fittingHint } from '../../core/config/setting-hint.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Stop } from '../../core/iteration/outcome-row.ts';
import { describeEnd } from '../../core/runs/loop-end.ts';
import { hintForRun } from '../../core/runs/next-command.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { LoopOutcome } from '../loop.ts';

export type RunEnd = Pick<RunRecord, 'status' | 'reason' | 'errors' | 'end'>;

type Place = Pick<RunRecord, 'run_id' | 'worktree' | 'prefix' | 'settings'>;
type Told = Omit<RunEnd, 'end'>;

/** With hints that help where the run is. */
export function endOfLoop(outcome: LoopOutcome, place: Place): RunEnd {
  const { sentence, hint, least } = describeEnd(outcome);
  return placed(tellLoop(outcome), { sentence, hint, least }, place);
}

/** An error that ended the process's work; a failed setup has a word of its own (§13.2). */
export function endOfError(error: unknown, place: Place): RunEnd {
  const { run_id } = place;
  const { sentence, hint } = describeEnd({ kind: 'stopped', run_id, stop: stopOfError(error, run_id) });
  const least = error instanceof RunnerError ? error.least : null;
  return placed(tellError(error), { sentence, hint, least }, place);
}

interface Words {
  readonly sentence: string;
  readonly hint: string;
  readonly least: number | null;
}

function placed({ errors, ...told }: Told, { sentence, hint, least }: Words, place: Place): RunEnd {
  const help = hintOf(place)(hint, least);
  const [, ...details] = errors;
  return {
    ...told,
    errors: errors.length === 0 ? [] : [`${sentence} (${help})`, ...details],
    end: { sentence, hint: help },
  };
}

/** A setting that was given as a flag holds when the run is resumed, too. */
export function hintOf(place: Place): (hint: string, least?: number | null) => string {
  const fit = fittingHint({ env: place.settings, flags: [] });
  return (hint, least = null) => hintForRun(fit(hint, least), place);
}

const paused: Told = { status: 'paused', reason: 'asked for', errors: [] };

function tellLoop(outcome: LoopOutcome): Told {
  switch (outcome.kind) {
    case 'complete':
      return { status: 'complete', reason: null, errors: [] };
    case 'stuck':
      return { status: 'stuck', reason: `${outcome.leaf.node.id} has used all its attempts`, errors: [] };
    case 'limit':
      return { status: 'limit', reason: `max_iterations (${outcome.max_iterations})`, errors: [] };
    case 'run_limit':
      return { status: 'limit', reason: `limits.${outcome.limit} (${outcome.max})`, errors: [] };
    case 'paused':
      return paused;
    case 'stopped':
      return tellStop(outcome.stop);
  }
}

function tellStop(stop: Stop): Told {
  switch (stop.kind) {
    case 'interrupted':
      return { status: 'canceled', reason: `stopped by ${stop.signal}`, errors: [] };
    case 'stuck':
      return { status: 'stuck', reason: null, errors: [] };
    case 'paused':
      return paused;
    case 'error':
      return { status: 'failed', reason: stop.code, errors: [stop.message] };
  }
}

/** Its first error is told with the hint. */
function tellError(error: unknown): Told {
  if (!(error instanceof RunnerError))
    return { status: 'failed', reason: 'INTERNAL', errors: [String(error)] };
  const { code, message, details, signal } = error;
  if (signal !== null) return { status: 'canceled', reason: `stopped by ${signal}`, errors: [] };
  return {
    status: 'failed',
    reason: code === 'SETUP_FAILED' ? 'setup' : code,
    errors: [message, ...details],
  };
}

/** The same for `notify.command`, which gets what a loop would send. */
export function stopOfError(error: unknown, run_id: string): Stop {
  if (!(error instanceof RunnerError))
    return { kind: 'error', code: 'INTERNAL', message: String(error), hint: `runner run show ${run_id}` };
  const { code, message, hint, signal } = error;
  return signal === null ? { kind: 'error', code, message, hint } : { kind: 'interrupted', signal };
}
