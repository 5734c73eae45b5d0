/** Maps the outcome of `step` and `loop` to the exit code; throws errors, so that they are printed in one place. */
import type { DryRun } from '../app/views/dry-run.ts';
import type { StepOutcome } from '../app/iteration.ts';
import type { LoopOutcome } from '../app/loop.ts';
import type { Stop } from '../core/iteration/outcome-row.ts';
import { exitCodes, exitOfStop } from './exit-codes.ts';
import { errorOfLimit, errorOfStop } from './output/report.ts';

export function exitOfStep(outcome: StepOutcome): number {
  const limit = errorOfLimit(outcome);
  if (limit !== null) throw limit;
  if (outcome.kind === 'complete') return exitCodes.complete;
  if (outcome.kind === 'stuck') return exitCodes.stuck;
  return 'stop' in outcome && outcome.stop !== null ? exitOfStopOrThrow(outcome.stop) : exitCodes.ok;
}

/** Like `step` itself, but no session can have failed. */
export function exitOfDryRun(planned: DryRun): number {
  return planned.kind === 'planned' || planned.kind === 'recovery' ? exitCodes.ok : exitOfStep(planned);
}

export function exitOfLoop(outcome: LoopOutcome): number {
  const limit = errorOfLimit(outcome);
  if (limit !== null) throw limit;
  if (outcome.kind === 'stuck') return exitCodes.stuck;
  return outcome.kind === 'stopped' ? exitOfStopOrThrow(outcome.stop) : exitCodes.ok;
}

function exitOfStopOrThrow(stop: Stop): number {
  const error = errorOfStop(stop);
  if (error !== null) throw error;
  return exitOfStop(stop);
}
