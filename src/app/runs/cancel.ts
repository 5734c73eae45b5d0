/**
 * Cancels a background run in any phase (§13.5): its process is asked to stop, and ended with all of its own where it does not; what it
 * left open is committed; only then the record says `canceled`.
 */
import { RunnerError } from '../../core/errors.ts';
import { canceledRecord, planCancel } from '../../core/runs/steer-run.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { FoundRecord, RepositoryLock, RunProcesses, RunRecords, RunRecovery } from '../../ports/runs.ts';
import type { Clock, Waiter } from '../../ports/sessions.ts';
import { findRun } from './list.ts';
import type { RunListPorts } from './list.ts';

export interface CancelPorts extends RunListPorts {
  readonly records: RunRecords;
  readonly lock: RepositoryLock;
  readonly processes: RunProcesses;
  readonly recovery: RunRecovery;
  readonly clock: Clock;
  readonly waiter: Waiter;
}

export interface CancelRequest {
  readonly run_id: string;
  /** Where it comes from, for the record: cli or web. */
  readonly by: string;
}

export interface Canceled {
  readonly record: RunRecord;
  /** One for each process that had to be ended. */
  readonly ended: readonly string[];
  /** Why its work could not be committed now; null: it was, or there was none. */
  readonly problem: string | null;
}

/** Ending a session and committing takes a while; what is left of ten seconds is for ending it the hard way. */
const stopWaitMs = 7000;
const lookEveryMs = 100;

export async function cancelRun(ports: CancelPorts, { run_id, by }: CancelRequest): Promise<Canceled> {
  const at = ports.clock.nowIso();
  const { record, is_alive } = await requireRecord(ports, run_id);
  const plan = planCancel(record, is_alive);
  if (plan.kind === 'refused') throw new RunnerError(plan.error);
  if (plan.kind === 'none') return { record, ended: [], problem: null };
  const { owner, worktree } = record;
  if (plan.kind === 'stop' && owner !== null) {
    await ports.processes.requestStop(owner);
    await waitForEnd(ports, owner);
  }
  const ended = await ports.processes.endAll({ owner, worktree });
  const left = await requireRecord(ports, run_id);
  const problem = await recover(ports, left.record);
  const canceled = await ports.lock.hold('runner run cancel', async () => {
    const now = await requireRecord(ports, run_id);
    const line = { at, action: 'cancel', by };
    const saved = canceledRecord(now.record, { line, at: ports.clock.nowIso(), problem });
    await ports.records.save(saved);
    return saved;
  });
  return { record: canceled, ended, problem };
}

async function requireRecord(
  ports: CancelPorts,
  runId: string,
): Promise<Extract<FoundRecord, { kind: 'record' }>> {
  const found = await ports.records.load(runId);
  if (found?.kind === 'record') return found;
  if (found !== null) {
    throw new RunnerError({
      code: 'RUN_ENDED',
      message: `the record of run ${runId} cannot be read: ${found.problems.join('; ')}`,
      hint: `runner run show ${runId}`,
      details: found.problems,
    });
  }
  const { row } = await findRun(ports, runId);
  const worker = row.checkout === null ? null : await ports.processes.workerIn(row.checkout);
  throw new RunnerError({
    code: 'RUN_ENDED',
    message: `there is no record of a background run '${row.run_id}'${worker === null ? ', and no runner works on it' : `; ${worker.command} (pid ${worker.pid}) works on it in ${row.checkout ?? ''}`}`,
    hint: worker === null ? `runner run show ${row.run_id}` : `kill ${worker.pid}`,
  });
}

/** Until its process is gone; it writes the record last. */
async function waitForEnd(ports: CancelPorts, owner: NonNullable<RunRecord['owner']>): Promise<void> {
  const untilMs = ports.clock.monotonicMs() + stopWaitMs;
  while (ports.clock.monotonicMs() < untilMs && (await ports.processes.isAlive(owner)))
    await ports.waiter.wait({ ms: lookEveryMs, onTick: () => {} });
}

/** A problem here is only reported, because the next start recovers too. A live runner is an error. */
async function recover(ports: CancelPorts, record: RunRecord): Promise<string | null> {
  try {
    await ports.recovery.recover(record);
    return null;
  } catch (error) {
    if (error instanceof RunnerError && error.code !== 'LOCKED') return error.message;
    throw error;
  }
}
