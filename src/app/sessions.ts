/**
 * The sessions of one iteration: one, and more only after waiting for an agent that is rate limited, overloaded or offline
 * (§5). Waits are bounded, can be interrupted, and do not count towards the time budget.
 */
import { addUsage, unknownUsage } from '../core/agents/usage.ts';
import { gaveUp, planWait } from '../core/agents/waits.ts';
import type { SessionEnd, SessionResult, Unavailable, Usage } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { SessionRequest } from '../ports/sessions.ts';
import { notedWait } from './runs/run-note.ts';

export interface PatientRequest {
  readonly session: Omit<
    SessionRequest,
    'session' | 'deadlineMs' | 'onActivity' | 'everyActivity' | 'onEvent'
  >;
  /** On the clock that only grows; every wait moves it. */
  readonly deadlineMs: number;
  /** What the iteration has waited before, for another agent: the bound is one for all of it. */
  readonly waitedMs: number;
  /** Puts in order what a session left before a further one starts; `spent` is what they all used so far. */
  readonly tidy: (result: SessionResult, spent: Usage) => Promise<void>;
}

export interface PatientResult {
  readonly result: SessionResult<SessionEnd>;
  readonly deadlineMs: number;
  readonly sessions: number;
  readonly waited_secs: number;
}

/** What earlier sessions of the iteration used and left, to be added to the last one's. */
type Spare = Pick<SessionResult, 'duration_ms' | 'usage' | 'denials' | 'leftovers'>;

const nothingSpent: Spare = { duration_ms: 0, usage: unknownUsage, denials: [], leftovers: [] };

export async function runSessions(ports: Ports, request: PatientRequest): Promise<PatientResult> {
  let { deadlineMs } = request;
  let spent = nothingSpent;
  let waitedMs = 0;
  for (let session = 1; ; session += 1) {
    const { reporter } = ports;
    const { everyActivity, agentEvents } = reporter.wants;
    const result = await ports.executor.run({
      ...request.session,
      session,
      deadlineMs,
      onActivity: ({ line }) => reporter.report({ type: 'activity', source: request.session.role, line }),
      everyActivity,
      onEvent: agentEvents ? (event, place) => reporter.report({ type: 'agent_event', event, place }) : null,
    });
    spent = added(spent, result);
    const sum = { ...result, ...spent };
    const ended = (end: SessionEnd): PatientResult => ({
      result: { ...sum, end },
      deadlineMs,
      sessions: session,
      waited_secs: Math.round(waitedMs / 1000),
    });
    if (result.end.kind !== 'unavailable') return ended(result.end);
    const allWaitedMs = request.waitedMs + waitedMs;
    const now = { request, unavailable: result.end, waits: session - 1, waitedMs: allWaitedMs };
    const waitMs = waitFor(ports, now);
    if (waitMs === null) return ended(gaveUp(result.end, allWaitedMs));
    await request.tidy(result, spent.usage);
    const startMs = ports.clock.monotonicMs();
    const { reason, failure } = result.end;
    const wait = { ms: waitMs, reason };
    const told = { ...wait, failure, agent: request.session.config.agent.name, waitedMs: allWaitedMs };
    const signal = await notedWait(ports, told, () => waitOut(ports, wait));
    const tookMs = ports.clock.monotonicMs() - startMs;
    waitedMs += tookMs;
    deadlineMs += tookMs;
    ports.reporter.report({ type: 'waited', waited_ms: tookMs });
    if (signal !== null) return ended({ kind: 'interrupted', signal });
    if (await ports.pauses.isSet()) return ended({ kind: 'paused' });
  }
}

function added(spent: Spare, result: SessionResult): Spare {
  return {
    duration_ms: spent.duration_ms + result.duration_ms,
    usage: addUsage(spent.usage, result.usage),
    denials: [...new Set([...spent.denials, ...result.denials])],
    leftovers: [...spent.leftovers, ...result.leftovers],
  };
}

function waitFor(
  ports: Ports,
  now: {
    readonly request: PatientRequest;
    readonly unavailable: Unavailable;
    readonly waits: number;
    readonly waitedMs: number;
  },
): number | null {
  const plan = planWait({
    resetAtMs: now.unavailable.reset_at_ms,
    nowMs: ports.clock.localNow().epochMs,
    waits: now.waits,
    waitedMs: now.waitedMs,
    maxWaitMs: now.request.session.config.agent.max_wait_secs * 1000,
  });
  return plan.kind === 'wait' ? plan.ms : null;
}

function waitOut(
  ports: Ports,
  { ms, reason: first }: { readonly ms: number; readonly reason: string },
): ReturnType<Ports['waiter']['wait']> {
  let reason: string | null = first;
  return ports.waiter.wait({
    ms,
    isOver: () => ports.pauses.isSet(),
    onTick: (left_ms) => {
      ports.reporter.report({ type: 'waiting', reason, left_ms });
      reason = null;
    },
  });
}
