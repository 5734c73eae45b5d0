/**
 * Notes what `step` and `loop` do, for other commands and the pages: at work, waiting until when, or why it ended. A failed write never
 * stops the run.
 */
import { RunnerError } from '../../core/errors.ts';
import { describeEnd } from '../../core/runs/loop-end.ts';
import type { EndText } from '../../core/runs/loop-end.ts';
import type { RunNote } from '../../core/runs/run-note.ts';
import { renderUtc } from '../../core/text/utc-text.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StepOutcome } from '../iteration.ts';
import type { LoopOutcome } from '../loop.ts';

type NotePorts = Pick<Ports, 'notes' | 'clock' | 'runStates'>;

/** The work, with a note when it begins and one that says how it ended. */
export async function noted<Outcome extends StepOutcome | LoopOutcome>(
  ports: NotePorts,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  await note(ports, { kind: 'working', waited_ms: 0 });
  try {
    const outcome = await work();
    await noteEnd(ports, endOf(outcome));
    return outcome;
  } catch (error) {
    await noteEnd(ports, endOfError(error), error instanceof RunnerError ? error.details : []);
    throw error;
  }
}

export interface AgentWait extends Pick<
  Extract<RunNote, { kind: 'waiting' }>,
  'reason' | 'agent' | 'failure'
> {
  readonly ms: number;
  /** Of the iteration, before. */
  readonly waitedMs: number;
}

/** While it waits for an agent that is not available. */
export async function notedWait<Result>(
  ports: NotePorts,
  { ms, waitedMs, ...told }: AgentWait,
  wait: () => Promise<Result>,
): Promise<Result> {
  const until = renderUtc(ports.clock.localNow().epochMs + ms);
  const waited = (since: number): { readonly waited_ms: number } => ({
    waited_ms: Math.round(waitedMs + ports.clock.monotonicMs() - since),
  });
  const startMs = ports.clock.monotonicMs();
  await note(ports, { kind: 'waiting', until, ...told, ...waited(startMs) });
  const result = await wait();
  await note(ports, { kind: 'working', ...waited(startMs) });
  return result;
}

type Told = RunNote extends infer Note
  ? Note extends RunNote
    ? Omit<Note, 'version' | 'run_id' | 'prefix' | 'at'>
    : never
  : never;

/** Only for people to read: a disk that is full must not hide what happened. */
async function note(
  { notes, clock, runStates }: NotePorts,
  told: Told,
  least: number | null = null,
): Promise<void> {
  const state = await runStates.load().catch(() => null);
  const own = { version: 1, run_id: state?.run_id ?? null, at: clock.nowIso(), ...told } as const;
  await notes.save(own, least).catch(() => {});
}

const noteEnd = (
  ports: NotePorts,
  { least, ...end }: EndText,
  details: readonly string[] = [],
): Promise<void> => note(ports, { kind: 'ended', ...end, details: [...details] }, least);

const ready: EndText = { state: 'ready', code: null, sentence: '', hint: 'runner loop', least: null };

function endOf(outcome: StepOutcome | LoopOutcome): EndText {
  if (outcome.kind !== 'recorded' && outcome.kind !== 'not_recorded') return describeEnd(outcome);
  return outcome.stop === null ? ready : describeEnd({ kind: 'stopped', run_id: '', stop: outcome.stop });
}

function endOfError(error: unknown): EndText {
  if (!(error instanceof RunnerError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { state: 'stopped', code: 'INTERNAL', sentence: message, hint: 'runner loop', least: null };
  }
  const { code, message, hint, signal } = error;
  const stop =
    signal === null
      ? ({ kind: 'error', code, message, hint } as const)
      : ({ kind: 'interrupted', signal } as const);
  return describeEnd({ kind: 'stopped', run_id: '', stop });
}
