/**
 * The process of a background run (§13), from its turn in the queue to its end: slot, work tree, setup, then the ordinary `start` and
 * the ordinary loop in the work tree. Whatever happens, the record says how it ended.
 */
import { RunnerError } from '../../core/errors.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import { nextTicket, waitsFor } from '../../core/runs/run-turn.ts';
import { endedStatuses } from '../../core/runs/record.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import { slotEnvironment } from '../../core/runs/slot.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Reporter } from '../../ports/reporter.ts';
import type { HeldSlot, ProgressLog, Slots } from '../../ports/run-work.ts';
import type { RepositoryLock, RunRecords } from '../../ports/runs.ts';
import type { Clock, Interrupts, Waiter } from '../../ports/sessions.ts';
import type { WorkTrees } from '../../ports/work-trees.ts';
import type { StepRecord } from '../iteration.ts';
import { runLoop } from '../loop.ts';
import type { LoopOutcome } from '../loop.ts';
import { start } from '../start.ts';
import { lockReason, queued } from './begin-run.ts';
import { followWork } from './follow-work.ts';
import { interrupted, makeReady } from './setup.ts';
import type { Readiness } from './setup.ts';
import { recordKeeper } from './record-keeper.ts';
import type { RecordKeeper } from './record-keeper.ts';
import { endOfError, endOfLoop, stopOfError } from './run-end.ts';
import type { RunEnd } from './run-end.ts';

export interface WorkPlace {
  readonly ports: Ports;
  readonly readiness: Readiness;
  close(): void;
}

export interface WorkPorts {
  readonly clock: Clock;
  readonly waiter: Waiter;
  readonly interrupts: Interrupts;
  readonly records: RunRecords;
  readonly lock: RepositoryLock;
  readonly slots: Slots;
  readonly workTrees: WorkTrees;
  readonly log: ProgressLog;
  /** How many runs of the repository may be at work at once. */
  readonly maxParallel: number;
  /** Contract: the process that started this one, which may still own the record. */
  readonly parentPid: number;
  redact(text: string): string;
  /** Contract: where the run's work tree is made when the record does not say it. */
  placeOf(runId: string): string;
  /** Contract: everything `loop` acts through, in the work tree, with these variables for its programs. */
  open(
    record: RunRecord,
    how: { readonly env: Readonly<Record<string, string>>; readonly reporter: Reporter },
  ): Promise<WorkPlace>;
  onStep(record: StepRecord): void;
}

export interface Worked {
  readonly record: RunRecord;
  /** Null: it ended before the loop, or by an error. */
  readonly outcome: LoopOutcome | null;
  /** What ended it; null: an outcome. */
  readonly error: unknown;
}

const queueLookMs = 500;

export async function work(ports: WorkPorts, runId: string): Promise<Worked> {
  const keeper = recordKeeper(ports, await claim(ports, runId));
  const note = (line: string): void => ports.log.write(line);
  note(`process ${keeper.current().owner?.pid ?? 0} works on run ${runId}`);
  let outcome: LoopOutcome | null = null;
  let error: unknown = null;
  let end: RunEnd;
  try {
    await takeTurn(ports, keeper);
    outcome = await withSlot(ports, keeper, (held) => run(ports, keeper, held));
    end = endOfLoop(outcome, keeper.current());
  } catch (thrown) {
    error = thrown;
    end = endOfError(thrown, keeper.current());
  }
  const errors = end.errors.map((line) => ports.redact(line));
  note(`ended: ${end.status}${end.reason === null ? '' : `, ${end.reason}`}`);
  for (const line of errors) note(`error: ${line}`);
  const { status, reason } = end;
  const finished_at = ports.clock.nowIso();
  const told = end.end && { sentence: ports.redact(end.end.sentence), hint: ports.redact(end.end.hint) };
  await keeper.save({ status, reason, errors, end: told, finished_at, owner: null, node: null, slot: null });
  return { record: keeper.current(), outcome, error };
}

/** From here on the record is this process's; a run that somebody else works on is left alone. */
async function claim(ports: WorkPorts, runId: string): Promise<RunRecord> {
  return ports.lock.hold('runner run', async () => {
    const found = await ports.records.load(runId);
    if (found?.kind !== 'record') throw unknown(runId);
    const { record, is_alive } = found;
    requireUnended(record);
    const owner = await ports.records.self();
    const isOurs = record.owner?.pid === owner.pid || record.owner?.pid === ports.parentPid;
    if (is_alive && !isOurs) throw atWork(record);
    const isFirst = is_alive && record.status === 'queued';
    const ticket = isFirst ? record.ticket : nextTicket(queued(await ports.records.list()));
    const worktree = record.worktree ?? ports.placeOf(runId);
    const fresh = { status: 'queued', reason: null, end: null, finished_at: null, slot: null } as const;
    const claimed: RunRecord = { ...record, ...fresh, errors: [], owner, ticket, worktree };
    await ports.records.save({ ...claimed, updated_at: ports.clock.nowIso() });
    return claimed;
  });
}

function requireUnended({ run_id, status }: RunRecord): void {
  if (!endedStatuses.has(status)) return;
  throw new RunnerError({
    code: 'RUN_ENDED',
    message: `run ${run_id} is ${status}`,
    hint: `runner run show ${run_id}`,
  });
}

function atWork({ run_id, owner }: RunRecord): RunnerError {
  return new RunnerError({
    code: 'LOCKED',
    message: `run ${run_id} is at work: pid ${owner?.pid ?? 0}`,
    hint: `runner run show ${run_id}`,
  });
}

export function unknown(runId: string): RunnerError {
  return new RunnerError({
    code: 'RUN_UNKNOWN',
    message: `there is no readable record of a run '${runId}'`,
    hint: 'runner run list',
  });
}

/** The lowest ticket begins first (§13.4). */
async function takeTurn(ports: WorkPorts, keeper: RecordKeeper): Promise<void> {
  const { run_id } = keeper.current();
  for (let before: number | null = null; ;) {
    requireUninterrupted(ports, run_id);
    const waits = await ports.lock.hold('runner run', async () => {
      const runs = await ports.records.list();
      const now = waitsFor(run_id, queued(runs), ports.maxParallel);
      const own = runs.find((one) => one.kind === 'record' && one.record.run_id === run_id);
      if (own?.kind === 'record') requireUnended(own.record);
      if (now === null && own?.kind === 'record')
        await ports.records.save({ ...own.record, status: 'starting' });
      return now;
    });
    if (waits === null) {
      await keeper.save({ status: 'starting', reason: null });
      return;
    }
    if (waits !== before) {
      const reason = `waits for ${waits} other ${waits === 1 ? 'run' : 'runs'} (automation.max_parallel)`;
      ports.log.write(reason);
      await keeper.save({ reason });
    }
    before = waits;
    await ports.waiter.wait({ ms: queueLookMs, onTick: () => {} });
  }
}

function requireUninterrupted({ interrupts }: Pick<WorkPorts, 'interrupts'>, runId: string): void {
  const signal = interrupts.current();
  if (signal !== null) throw interrupted(runId, signal);
}

async function withSlot<T>(
  ports: WorkPorts,
  keeper: RecordKeeper,
  use: (held: HeldSlot) => Promise<T>,
): Promise<T> {
  const held = await ports.slots.take(keeper.current().run_id);
  try {
    await keeper.save({ slot: held.slot });
    return await use(held);
  } finally {
    await held.release();
  }
}

async function run(ports: WorkPorts, keeper: RecordKeeper, held: HeldSlot): Promise<LoopOutcome> {
  await requireWorkTree(ports, keeper.current());
  const { run_id, base_branch, base_commit } = keeper.current();
  const reporter = followWork(keeper, ports.log);
  const env = slotEnvironment({ ...held, run_id });
  const place = await ports.open(keeper.current(), { env, reporter });
  try {
    requireUninterrupted(ports, run_id);
    await keeper.save({ status: 'setup' });
    await makeReady(place.ports, place.readiness, run_id);
    await keeper.save({ status: 'running' });
    if (!(await isBegun(place.ports, run_id))) {
      await requireGoal(place.ports, keeper.current());
      const reserved = { run_id, base_branch, base_commit };
      const { warnings } = await start(place.ports, { isNew: true, reserved });
      for (const warning of warnings) ports.log.write(`warning: ${warning}`);
    }
    const { resolved } = await place.ports.runStates.load();
    await keeper.save({ sandbox: resolved?.sandbox ?? 'none' });
    return await runLoop(place.ports, { onBegin: async () => {}, onStep: (record) => ports.onStep(record) });
  } catch (error) {
    await notify(place.ports, run_id, error);
    throw error;
  } finally {
    await tell(place.ports, keeper);
    place.close();
  }
}

/** Made again from the branch when it is gone; it never falls back to the checkout (§13.5). */
async function requireWorkTree(ports: WorkPorts, record: RunRecord): Promise<void> {
  const { branch, base_commit, worktree } = record;
  const path = worktree ?? '';
  const reason = lockReason(record);
  const isMade = await ports.lock.hold('runner run', async () => {
    const isThere = await ports.workTrees.isThere(path);
    await (isThere
      ? ports.workTrees.lock({ path, reason })
      : ports.workTrees.add({ path, branch, commit: base_commit, reason }));
    return !isThere;
  });
  if (!isMade) return;
  ports.log.write('the work tree was gone and is made again from the branch');
  for (const line of await ports.workTrees.fillSubmodules(path)) ports.log.write(`note: ${line}`);
  await ports.workTrees.copyIncluded(path);
}

/** Whether the branch has the run's first commit. */
async function isBegun(ports: Ports, runId: string): Promise<boolean> {
  const { head } = await ports.git.snapshot();
  if (head === null) return false;
  const source = await ports.git.loadText({ commit: head, path: '.runner/state/run_state.json' });
  const parsed = source.kind === 'text' ? parseRunState(source.text) : null;
  return parsed !== null && parsed.ok && parsed.state.run_id === runId;
}

/** Until the first commit the goal is only in the work tree: one that was made again from the branch has another, or none. */
async function requireGoal({ goals, hasher }: Ports, { run_id, goal_sha256 }: RunRecord): Promise<void> {
  const goal = await goals.load().catch(() => null);
  if (goal_sha256 === null || (goal !== null && hasher.sha256(goal.body) === goal_sha256)) return;
  throw new RunnerError({
    code: 'GOAL_INVALID',
    message: `the work tree of run ${run_id} was lost before its first commit, including its goal`,
    hint: `runner abandon ${run_id}, then: runner run start`,
  });
}

/** The loop tells its own end; this is for what ended before it, or by an error. */
async function notify(ports: Ports, run_id: string, error: unknown): Promise<void> {
  const config = await ports.configs.load().catch(() => null);
  const command = config?.notify.command ?? null;
  if (command === null) return;
  const state = await ports.runStates.load().catch(() => null);
  const counts = { run_id, steps: 0, started_at_iter: state?.next_iter ?? 1 };
  await ports.notifier.send({
    command,
    payload: { ...counts, kind: 'stopped', stop: stopOfError(error, run_id) },
  });
}

/** What the run's own files say in the end, as far as they can be read. */
async function tell(ports: Ports, keeper: RecordKeeper): Promise<void> {
  const state = await ports.runStates.load().catch(() => null);
  if (state === null || state.run_id !== keeper.current().run_id) return;
  const { tokens, cost_usd } = state.totals;
  const iterations = { ...keeper.current().iterations, used: state.next_iter - 1 };
  keeper.change({ tokens, cost_usd, iterations }, { isMinor: true });
}
