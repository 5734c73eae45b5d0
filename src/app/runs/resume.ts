/**
 * Goes on with a background run from its branch (§13.5), also when its work tree or its record is gone. Never in the checkout of a
 * person, never while somebody is at work on it.
 */
import { RunnerError } from '../../core/errors.ts';
import { renderHolderHint } from '../../core/runs/holder-hint.ts';
import { parseRunRecord } from '../../core/runs/record.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { checkResume, elsewhere, reopened, withAudit } from '../../core/runs/steer-run.ts';
import type { RunRow } from '../../core/runs/run-list.ts';
import type { GitPort } from '../../ports/git.ts';
import type { RepositoryLock, RunFiles, RunProcesses, RunRecords, RunStarter } from '../../ports/runs.ts';
import type { Clock, Waiter } from '../../ports/sessions.ts';
import { findRun } from './list.ts';
import type { FoundRun, RunListPorts } from './list.ts';

export interface ResumePorts extends RunListPorts {
  readonly records: RunRecords;
  readonly git: Pick<GitPort, 'listRunTips' | 'locate' | 'makeBranch'>;
  readonly lock: RepositoryLock;
  readonly starter: RunStarter;
  readonly files: Pick<RunFiles, 'isRunFolder'>;
  readonly processes: Pick<RunProcesses, 'workerIn'>;
  readonly clock: Clock;
  readonly waiter: Waiter;
}

export interface Resumed {
  readonly record: RunRecord;
  /** False: it has not reported within ten seconds. */
  readonly is_seen: boolean;
  /** Whether the record was lost and is made again from the branch. */
  readonly is_new_record: boolean;
}

const startWaitMs = 10_000;
const lookEveryMs = 50;

export async function resumeRun(
  ports: ResumePorts,
  { run_id, by }: { readonly run_id: string; readonly by: string },
): Promise<Resumed> {
  const { saved, isNew } = await ports.lock.hold('runner run resume', async () => {
    const found = await findRun(ports, run_id);
    const refused = checkResume(found.row, found.record);
    if (refused !== null) throw new RunnerError(refused);
    await requireIdle(ports, found.row);
    const record = found.record ?? (await recordOfBranch(ports, found.row));
    await makeLocal(ports, found);
    const at = ports.clock.nowIso();
    const audited = withAudit({ ...reopened(record), updated_at: at }, { at, action: 'resume', by });
    await ports.records.save(audited);
    return { saved: audited, isNew: found.record === null };
  });
  await ports.starter.start(run_id);
  return { ...(await waitForWork(ports, saved)), is_new_record: isNew };
}

/** A record may be lost while the run's process lives on. */
async function requireIdle({ processes }: ResumePorts, { run_id, checkout }: RunRow): Promise<void> {
  const holder = checkout === null ? null : await processes.workerIn(checkout);
  if (holder === null) return;
  throw new RunnerError({
    code: 'LOCKED',
    message: `run ${run_id} is at work: pid ${holder.pid}, started ${holder.started_at}, command: ${holder.command}`,
    hint: renderHolderHint(holder, checkout),
  });
}

/** What the branch itself cannot say was said by the lost record only; the settings in its config.toml hold. */
async function recordOfBranch(ports: ResumePorts, row: RunRow): Promise<RunRecord> {
  if (row.checkout !== null && !ports.files.isRunFolder(row.checkout)) throw new RunnerError(elsewhere(row));
  const { prefix } = await ports.git.locate();
  const { run_id, title, branch, commit, base_branch, goal_sha256 } = row;
  const at = ports.clock.nowIso();
  const parsed = parseRunRecord(
    JSON.stringify({
      version: 1,
      run_id,
      status: 'failed',
      reason: 'not at work',
      title,
      goal_sha256,
      branch: branch ?? `runner/${run_id}`,
      base_branch,
      base_commit: row.base_commit ?? commit,
      prefix,
      worktree: row.checkout,
      started_at: at,
      updated_at: at,
    }),
  );
  if (parsed.ok) return parsed.record;
  throw new RunnerError({
    code: 'RUN_ENDED',
    message: `run ${run_id} cannot be resumed: neither its branch nor a readable record is left`,
    hint: `runner abandon ${run_id}`,
  });
}

/** A branch that only a remote has becomes one here: another worker of the fleet made it. */
async function makeLocal({ git }: ResumePorts, { row }: FoundRun): Promise<void> {
  const { remote, branch, commit } = row;
  if (remote !== null && branch !== null && commit !== null) await git.makeBranch({ branch, commit });
}

/** Until the new process has taken over the record: from then on list and cancel tell the truth. */
async function waitForWork(
  ports: ResumePorts,
  saved: RunRecord,
): Promise<Pick<Resumed, 'record' | 'is_seen'>> {
  const untilMs = ports.clock.monotonicMs() + startWaitMs;
  for (;;) {
    const found = await ports.records.load(saved.run_id);
    const record = found?.kind === 'record' ? found.record : saved;
    if (record.updated_at !== saved.updated_at) return { record, is_seen: true };
    if (ports.clock.monotonicMs() > untilMs) return { record, is_seen: false };
    await ports.waiter.wait({ ms: lookEveryMs, onTick: () => {} });
  }
}
