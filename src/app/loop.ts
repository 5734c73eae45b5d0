/** Iterations until complete, stuck, limit, error or interrupt (§10). Holds the lock from the first to the last. */
import type { Stop } from '../core/iteration/outcome-row.ts';
import type { LoopEnd } from '../core/runs/loop-end.ts';
import type { Ports } from '../ports/ports.ts';
import { openPush } from './push.ts';
import type { RunPush } from './push.ts';
import type { StepOutcome, StepRecord } from './iteration.ts';
import { applyQueue, queueOf, refuseForgeable } from './person/queue.ts';
import type { StepOptions } from './preflight.ts';
import { recover } from './recover.ts';
import { noted } from './runs/run-note.ts';
import { step } from './step.ts';
import { withLock } from './with-lock.ts';

export interface LoopCounts {
  readonly run_id: string;
  readonly steps: number;
  readonly started_at_iter: number;
}

export type LoopOutcome = LoopCounts & LoopEnd;

export interface LoopListener {
  /** Contract: called once, when the first iteration can begin, and before it uses anything up. */
  readonly onBegin: () => Promise<void>;
  readonly onStep: (record: StepRecord) => void;
}

export async function runStep(ports: Ports): Promise<StepOutcome> {
  return withLock(ports, 'runner step', () => noted(ports, () => stepOnce(ports)));
}

async function stepOnce(ports: Ports): Promise<StepOutcome> {
  await ports.pauses.clear();
  await reportStart(ports, 'step');
  const recovered = await recover(ports);
  await ports.judge.sweep();
  const pushing = await openPush(ports);
  const fenced = await pushing.push();
  if (fenced !== null) return { kind: 'not_recorded', run_id: await runIdOf(ports), stop: fenced };
  if (recovered !== null && endsProcess(recovered)) return recovered;
  await applyPersonsChanges(ports);
  const outcome = await pushed(await guardedStep(ports, { fresh: true, own: null }), pushing);
  await notify(ports, outcome);
  return outcome;
}

async function pushed(outcome: StepOutcome, pushing: RunPush): Promise<StepOutcome> {
  if (outcome.kind !== 'recorded') return outcome;
  return { ...outcome, stop: (await pushing.push()) ?? outcome.stop ?? pushing.unpushed() };
}

async function runIdOf(ports: Ports): Promise<string> {
  return (await ports.runStates.load()).run_id ?? '';
}

export async function runLoop(ports: Ports, listener: LoopListener): Promise<LoopOutcome> {
  return withLock(ports, 'runner loop', () =>
    noted(ports, async () => {
      await ports.pauses.clear();
      await reportStart(ports, 'loop');
      const outcome = await iterate(ports, listener);
      await notify(ports, outcome);
      return outcome;
    }),
  );
}

/** The checks that follow report problems of the run state. */
async function reportStart(ports: Ports, command: 'step' | 'loop'): Promise<void> {
  const state = await ports.runStates.load().catch(() => null);
  ports.reporter.report({ type: 'run_started', command, run_id: state?.run_id ?? null });
  for (const message of ports.notices) ports.reporter.report({ type: 'note', message });
}

/** After recovery and before the checks (§12): they are part of what the next iteration starts from. */
export function applyPersonsChanges(ports: Ports): Promise<void> {
  return applyQueue(queueOf(ports));
}

/** What the session could have written into the queue goes with it. */
async function guardedStep(ports: Ports, options: StepOptions): Promise<StepOutcome> {
  try {
    return await step(ports, options);
  } finally {
    await refuseForgeable(queueOf(ports));
  }
}

async function iterate(ports: Ports, { onBegin, onStep }: LoopListener): Promise<LoopOutcome> {
  const recovered = await recover(ports);
  await ports.judge.sweep();
  const { run_id, next_iter } = await ports.runStates.load();
  let counts: LoopCounts = { run_id: run_id ?? '', steps: 0, started_at_iter: next_iter };
  if (recovered?.kind === 'recorded') {
    counts = { ...counts, steps: 1, started_at_iter: recovered.record.iter };
    onStep(recovered.record);
  }
  // Before the first session: who was fenced off must not pay for one.
  const pushing = await openPush(ports);
  const fenced = await pushing.push();
  if (fenced !== null) return { ...counts, kind: 'stopped', stop: fenced };
  if (recovered !== null && endsProcess(recovered)) return { ...counts, ...endOfStop(recovered.stop) };
  let options: StepOptions = { fresh: true, own: null, onReady: onBegin };
  for (;;) {
    const signal = ports.interrupts.current();
    if (signal !== null) return { ...counts, kind: 'stopped', stop: { kind: 'interrupted', signal } };
    if (await ports.pauses.isSet()) return { ...counts, kind: 'paused' };
    await applyPersonsChanges(ports);
    const outcome = await guardedStep(ports, options);
    options = { fresh: false, own: outcome.kind === 'recorded' ? outcome.record.commit : null };
    if (outcome.kind === 'recorded') {
      counts = { ...counts, steps: counts.steps + 1 };
      onStep(outcome.record);
    }
    const end = await endOfPushed(outcome, pushing);
    if (end !== null) return { ...counts, ...end, run_id: runOf(outcome) };
  }
}

function runOf(outcome: StepOutcome): string {
  return outcome.kind === 'recorded' ? outcome.record.run_id : outcome.run_id;
}

/** Complete means that the branch is where it was promised to be. */
async function endOfPushed(outcome: StepOutcome, pushing: RunPush): Promise<LoopEnd | null> {
  const fenced = outcome.kind === 'recorded' ? await pushing.push() : null;
  if (fenced !== null) return { kind: 'stopped', stop: fenced };

  const end = endOfLoop(outcome);
  const stop = end?.kind === 'complete' ? pushing.unpushed() : null;
  return stop === null ? end : { kind: 'stopped', stop };
}

function endOfLoop(outcome: StepOutcome): LoopEnd | null {
  switch (outcome.kind) {
    case 'complete':
      return { kind: 'complete' };
    case 'stuck':
      return { kind: 'stuck', leaf: outcome.leaf };
    case 'limit':
      return { kind: 'limit', next_iter: outcome.next_iter, max_iterations: outcome.max_iterations };
    case 'run_limit': {
      const { limit, used, max } = outcome;
      return { kind: 'run_limit', limit, used, max };
    }
    case 'not_recorded':
      return endOfStop(outcome.stop);
    case 'recorded':
      return endOfRecorded(outcome.stop);
  }
}

/** A used-up planning session ends the run stuck: the next selection says which leaf. */
function endOfRecorded(stop: Stop | null): LoopEnd | null {
  return stop === null || stop.kind === 'stuck' ? null : endOfStop(stop);
}

function endOfStop(stop: Stop): LoopEnd {
  return stop.kind === 'paused' ? { kind: 'paused' } : { kind: 'stopped', stop };
}

function endsProcess(outcome: StepOutcome): outcome is Extract<StepOutcome, { stop: Stop }> {
  return 'stop' in outcome && outcome.stop !== null && outcome.stop.kind !== 'stuck';
}

/** `notify.command` gets the outcome as JSON; a config that no longer loads has nobody to notify. */
async function notify(ports: Ports, payload: StepOutcome | LoopOutcome): Promise<void> {
  const config = await ports.configs.load().catch(() => null);
  const command = config?.notify.command ?? null;
  if (command === null) return;
  const warning = await ports.notifier.send({ command, payload });
  if (warning !== null) ports.reporter.report({ type: 'note', message: warning });
}
