/** Whose turn it is among the background runs of a repository (§13.4). Reads no clock and no process: who is alive is passed in. */
import type { RunRecord } from './record.ts';

export type QueuedRun = Pick<RunRecord, 'run_id' | 'status' | 'ticket'> & { readonly is_alive: boolean };

/** The ticket of a run that joins the queue now. */
export function nextTicket(runs: readonly QueuedRun[]): number {
  return Math.max(0, ...runs.map(({ ticket }) => ticket)) + 1;
}

/** Null: the run may begin; otherwise how many are before it. `max`: how many may be at work at once. */
export function waitsFor(runId: string, runs: readonly QueuedRun[], max: number): number | null {
  const alive = runs.filter(({ is_alive }) => is_alive);
  const atWork = alive.filter(({ run_id, status }) => run_id !== runId && atWorkStatuses.has(status)).length;
  const ticket = alive.find(({ run_id }) => run_id === runId)?.ticket ?? Infinity;
  const isBefore = (run: QueuedRun): boolean =>
    run.run_id !== runId && run.status === 'queued' && run.ticket < ticket;
  const before = atWork + alive.filter(isBefore).length;
  return before < max ? null : before - max + 1;
}

const atWorkStatuses: ReadonlySet<RunRecord['status']> = new Set(['starting', 'setup', 'running', 'waiting']);
