/**
 * How long to wait for an agent that is rate limited, overloaded or offline (§5), and when such a wait is over. A stated reset
 * counts; without one the waits grow. All waits of an iteration together stay within `agent.max_wait_secs`.
 */
import { renderUtc } from '../text/utc-text.ts';
import type { SessionEnd, Unavailable } from './session.ts';

export interface WaitInput {
  /** When it will work again, as the agent stated it: milliseconds since 1970; null: not stated. */
  readonly resetAtMs: number | null;
  readonly nowMs: number;
  /** Waits of this iteration before this one, and how long they took together. */
  readonly waits: number;
  readonly waitedMs: number;
  readonly maxWaitMs: number;
}

export type WaitPlan = { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'give_up' };

const firstWaitMs = 15_000;
const longestWaitMs = 600_000;
/** A clock slightly ahead of the service's must not make us retry too early. */
const slackMs = 1000;
/** Shorter waits are not worth a session. */
const shortestWaitMs = 1000;

export function planWait(input: WaitInput): WaitPlan {
  const left = input.maxWaitMs - input.waitedMs;
  if (left < shortestWaitMs) return { kind: 'give_up' };
  if (input.resetAtMs === null) return { kind: 'wait', ms: Math.min(growing(input.waits), left) };
  const stated = Math.max(0, input.resetAtMs - input.nowMs) + slackMs;
  if (stated > left) return { kind: 'give_up' };
  // A reset that did not help was too early, however often it is stated.
  const floor = input.waits === 0 ? 0 : growing(input.waits - 1);
  return { kind: 'wait', ms: Math.min(Math.max(stated, floor), left) };
}

/** The waits are used up: from here on handled like any agent that cannot work (§5). */
export function gaveUp(unavailable: Unavailable, waitedMs: number): SessionEnd {
  const { failure, fix, reset_at_ms } = unavailable;
  const until = reset_at_ms === null ? '' : `, which lasts until ${renderUtc(reset_at_ms)}`;
  const waited = `waited ${Math.round(waitedMs / 1000)} s of agent.max_wait_secs`;
  return { kind: 'blocked', failure, reason: `${unavailable.reason}${until} (${waited})`, fix };
}

function growing(waits: number): number {
  // Ten doublings are past the longest wait, and 2 ** 1e6 is no number to count with.
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(waits, 10));
}

/**
 * A wait ends when its time has passed on the clock that only grows, or when the wall clock is there: a machine that slept does
 * not wait on, and a clock that was set back does not make it wait longer.
 */
export function isWaitOver(now: {
  readonly plannedMs: number;
  readonly elapsedMs: number;
  readonly wallElapsedMs: number;
}): boolean {
  return now.elapsedMs >= now.plannedMs || now.wallElapsedMs >= now.plannedMs;
}
