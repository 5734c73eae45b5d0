/**
 * Runs all trials of a batch, several at a time. After a signal no new trial begins; finished trials stay, and the batch's file
 * tells which are left. It prints nothing.
 */
import { trialKeyText } from '../cases/names.ts';
import { planTrials, remainingTrials } from '../cases/plan.ts';
import type { Batch, TrialKey, TrialRecord } from '../cases/types.ts';
import type { LoadedCase } from './case-files.ts';
import { runTrial } from './trial.ts';
import type { TrialWorld } from './trial-world.ts';

export interface BatchRequest {
  readonly batch: Batch;
  readonly cases: ReadonlyMap<string, LoadedCase>;
  /** Trials at the same time. */
  readonly jobs: number;
  /** What has ended before. */
  readonly done: readonly TrialRecord[];
}

export interface BatchResult {
  /** Of this call, in the order of the plan. */
  readonly records: readonly TrialRecord[];
  /** Planned and without a record: a signal came. */
  readonly left: number;
}

/** What is still to do, in the order of the plan. */
export function trialsToDo(
  world: Pick<TrialWorld, 'hasher'>,
  { batch, done }: Pick<BatchRequest, 'batch' | 'done'>,
): readonly TrialKey[] {
  const planned = planTrials(batch.plan, {
    shards: batch.shards,
    hashOf: world.hasher.sha256,
  });
  return remainingTrials(
    planned,
    done.map(({ meta }) => meta),
  );
}

/** Throws what a trial throws, after the others at work have ended. */
export async function runBatch(world: TrialWorld, request: BatchRequest): Promise<BatchResult> {
  const queue = trialsToDo(world, request);
  const records = new Map<string, TrialRecord>();
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (;;) {
      const key = queue[next];
      if (key === undefined || failures.length > 0 || world.interrupts.current() !== null) return;
      next += 1;
      const record = await runOne(world, request, key);
      if (record !== null) records.set(trialKeyText(key), record);
    }
  };
  const workers = Array.from({ length: Math.min(request.jobs, queue.length) }, () =>
    work().catch((error: unknown) => failures.push(error)),
  );
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
  const ended = queue.flatMap((key) => records.get(trialKeyText(key)) ?? []);
  return { records: ended, left: queue.length - ended.length };
}

async function runOne(
  world: TrialWorld,
  { batch, cases }: BatchRequest,
  key: TrialKey,
): Promise<TrialRecord | null> {
  const loaded = cases.get(key.case_id);
  if (loaded === undefined) return null;
  world.onEvent({ type: 'trial_started', key });
  const record = await runTrial(world, { key, loaded, isRecorded: batch.plan.record });
  if (record !== null) world.onEvent({ type: 'trial_ended', key, record });
  return record;
}
