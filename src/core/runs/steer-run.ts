/** What `run cancel` and `run resume` may do with a background run, and what its record says afterwards (§13.5). */
import type { RunnerErrorInit } from '../errors.ts';
import { endedStatuses, liveStatuses } from './record.ts';
import type { AuditLine, RunRecord } from './record.ts';
import type { RunRow } from './run-list.ts';

/** `stop`: its process is at work. `settle`: nobody is, but it has not ended either. `none`: it was canceled before. */
export type CancelPlan =
  | { readonly kind: 'stop' | 'settle' | 'none' }
  | { readonly kind: 'refused'; readonly error: RunnerErrorInit };

export function planCancel(record: RunRecord, isAlive: boolean): CancelPlan {
  if (isAlive) return { kind: 'stop' };
  if (liveStatuses.has(record.status) || record.status === 'paused') return { kind: 'settle' };
  if (record.status === 'canceled') return { kind: 'none' };
  return {
    kind: 'refused',
    error: {
      code: 'RUN_ENDED',
      message: `there is nothing to cancel: run ${record.run_id} is ${record.status}`,
      hint: `runner run show ${record.run_id}`,
    },
  };
}

/** Null: it may go on. `row`: what the list of runs says of it. */
export function checkResume(row: RunRow, record: RunRecord | null): RunnerErrorInit | null {
  const { run_id } = row;
  if (row.background?.is_alive === true) {
    return {
      code: 'LOCKED',
      message: `run ${run_id} is at work (${row.background.status})`,
      hint: `runner run attach ${run_id}`,
    };
  }
  if (row.state === 'finished' || row.state === 'abandoned') {
    return {
      code: 'RUN_ENDED',
      message: `there is nothing to resume: run ${run_id} is ${row.state}`,
      hint: 'runner run start',
    };
  }
  if (row.state === 'complete') {
    return {
      code: 'RUN_COMPLETE',
      message: `there is nothing to resume: run ${run_id} is complete`,
      hint: `runner finish ${run_id}`,
    };
  }
  if (row.checkout !== null && record !== null && row.checkout !== record.worktree) return elsewhere(row);
  if (row.branch === null && (record?.iterations.used ?? 0) > 0) {
    return {
      code: 'GIT_WRONG_BRANCH',
      message: `the branch of run ${run_id} is gone; what it did is in no ref`,
      hint: `make the branch again (git reflog shows its commits): git branch runner/${run_id} <commit>; or: runner abandon ${run_id}`,
    };
  }
  return null;
}

/** A person works on it there; two runners on one branch would undo each other's commits. */
export function elsewhere({ run_id, branch, checkout }: RunRow): RunnerErrorInit {
  return {
    code: 'LOCKED',
    message: `${branch ?? run_id} is checked out in ${checkout ?? 'another work tree'}`,
    hint: `go on there with runner loop, or check out another branch there`,
  };
}

export function withAudit(record: RunRecord, line: AuditLine): RunRecord {
  return { ...record, audit: [...record.audit, line] };
}

/** A run that went on after its end is open again, and its record must say so before a process takes it. */
export function reopened(record: RunRecord): RunRecord {
  if (!endedStatuses.has(record.status)) return record;
  return { ...record, status: 'failed', reason: 'not at work', finished_at: null };
}

/** After its processes are gone. One that ended by itself in the meantime keeps its own end. */
export function canceledRecord(
  record: RunRecord,
  { line, at, problem }: { readonly line: AuditLine; readonly at: string; readonly problem: string | null },
): RunRecord {
  const audited = withAudit(record, line);
  if (!liveStatuses.has(record.status) && record.status !== 'paused') return audited;
  return {
    ...audited,
    status: 'canceled',
    reason: null,
    owner: null,
    node: null,
    errors: problem === null ? record.errors : [...record.errors, problem],
    updated_at: at,
    finished_at: at,
  };
}
