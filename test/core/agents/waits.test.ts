import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WaitInput, WaitPlan } from '../../../src/core/agents/waits.ts';
import { gaveUp, isWaitOver, planWait } from '../../../src/core/agents/waits.ts';

const nowMs = 1_763_280_000_000;
const hourMs = 3_600_000;

function plan(fields: Partial<WaitInput> = {}): WaitPlan {
  return planWait({ resetAtMs: null, nowMs, waits: 0, waitedMs: 0, maxWaitMs: 6 * hourMs, ...fields });
}

const giveUp: WaitPlan = { kind: 'give_up' };

describe('planWait without a stated reset (§5)', () => {
  test.each([
    [0, 15_000],
    [1, 30_000],
    [2, 60_000],
    [3, 120_000],
    [4, 240_000],
    [5, 480_000],
    [6, 600_000],
    [7, 600_000],
    [10, 600_000],
    [1_000_000, 600_000],
  ])('after %i waits: %i ms', (waits, ms) => {
    expect(plan({ waits })).toEqual({ kind: 'wait', ms });
  });

  test('the last one takes what is left', () => {
    expect(plan({ waits: 3, waitedMs: 90_000, maxWaitMs: 100_000 })).toEqual({ kind: 'wait', ms: 10_000 });
  });

  test.each([
    ['nothing', { maxWaitMs: 0 }],
    ['nothing any more', { waitedMs: 6 * hourMs }],
    ['less than nothing', { waitedMs: 7 * hourMs }],
    ['less than a second', { waitedMs: 6 * hourMs - 999 }],
  ])('with %s left it gives up', (_what, fields) => {
    expect(plan(fields)).toEqual(giveUp);
    expect(plan({ ...fields, resetAtMs: nowMs })).toEqual(giveUp);
  });
});

describe('planWait with a stated reset (§5)', () => {
  test.each<[string, Partial<WaitInput>, WaitPlan]>([
    ['in a minute', { resetAtMs: nowMs + 60_000 }, { kind: 'wait', ms: 61_000 }],
    ['now', { resetAtMs: nowMs }, { kind: 'wait', ms: 1000 }],
    ['long ago', { resetAtMs: 0 }, { kind: 'wait', ms: 1000 }],
    ['just within what is left', { resetAtMs: nowMs + 6 * hourMs - 1000 }, { kind: 'wait', ms: 6 * hourMs }],
    ['a moment later', { resetAtMs: nowMs + 6 * hourMs - 999 }, giveUp],
    ['at the end of time', { resetAtMs: 8.64e15 }, giveUp],
    ['later than what other waits left', { resetAtMs: nowMs + 5 * hourMs, waitedMs: 2 * hourMs }, giveUp],
  ])('%s', (_what, fields, expected) => {
    expect(plan(fields)).toEqual(expected);
  });

  test('one that did not help was too early: the next waits grow however often it is stated', () => {
    const stated = [0, 1, 2, 3, 10].map((waits) => plan({ waits, resetAtMs: nowMs }));
    expect(stated.map((step) => step.kind === 'wait' && step.ms)).toEqual([
      1000, 15_000, 30_000, 60_000, 600_000,
    ]);
  });
});

/** A service that states the given resets one after the other, and never works again. */
function waitsFor(resets: readonly (number | null)[], maxWaitMs: number): readonly number[] {
  const waits: number[] = [];
  let waitedMs = 0;
  for (let at = 0; ; at += 1) {
    const stated = resets[at % resets.length] ?? null;
    const now = nowMs + waitedMs;
    const step = planWait({
      resetAtMs: stated === null ? null : now + stated,
      nowMs: now,
      waits: waits.length,
      waitedMs,
      maxWaitMs,
    });
    if (step.kind === 'give_up') return waits;
    waits.push(step.ms);
    waitedMs += step.ms;
  }
}

const weekMs = 604_800_000;
const arbReset = fc.option(fc.integer({ min: -hourMs, max: 2 * weekMs }));
const arbResets = fc.array(arbReset, { minLength: 1, maxLength: 8 });

test('all waits of an iteration stay within agent.max_wait_secs, each at least a second (§1.6)', () => {
  fc.assert(
    fc.property(arbResets, fc.nat({ max: 7 * 24 * 3600 }), (resets, maxWaitSecs) => {
      const waits = waitsFor(resets, maxWaitSecs * 1000);
      const sum = waits.reduce((total, ms) => total + ms, 0);
      expect(sum).toBeLessThanOrEqual(maxWaitSecs * 1000);
      expect(waits.every((ms) => ms >= 1000)).toBe(true);
      // After seven of them each takes ten minutes, but for the last.
      expect(waits.length).toBeLessThanOrEqual(9 + maxWaitSecs / 600);
    }),
  );
});

test('a reset beyond what is left gives up at once; one within it is waited for', () => {
  const arb = fc.record({
    aheadMs: fc.nat({ max: weekMs }),
    waits: fc.nat({ max: 20 }),
    waitedMs: fc.nat({ max: weekMs }),
    maxWaitMs: fc.nat({ max: weekMs }),
  });
  fc.assert(
    fc.property(arb, ({ aheadMs, ...rest }) => {
      const left = rest.maxWaitMs - rest.waitedMs;
      const step = plan({ ...rest, resetAtMs: nowMs + aheadMs });
      if (aheadMs >= left || left < 1000) expect(step).toEqual(giveUp);
      // Never before the reset, and a little after it for a clock that is ahead.
      if (step.kind === 'wait') expect(step.ms).toBeGreaterThan(aheadMs);
      else expect(aheadMs + 1000 > left || left < 1000).toBe(true);
    }),
  );
});

describe('isWaitOver', () => {
  const plannedMs = 60_000;
  test.each([
    ['just begun', 0, 0, false],
    ['half way', 30_000, 30_000, false],
    ['almost', 59_999, 59_999, false],
    ['done', 60_000, 60_000, true],
    ['the machine slept: only the wall clock went on', 5000, 7_200_000, true],
    ['the wall clock was set forward', 1, 60_000, true],
    ['the wall clock was set back by an hour', 60_000, 60_000 - hourMs, true],
    ['the wall clock was set back and time is left', 59_999, -hourMs, false],
  ])('%s', (_what, elapsedMs, wallElapsedMs, isOver) => {
    expect(isWaitOver({ plannedMs, elapsedMs, wallElapsedMs })).toBe(isOver);
  });

  test('no jump of the wall clock makes a wait longer than planned', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer(), fc.nat(), (planned, wallElapsedMs, more) => {
        expect(isWaitOver({ plannedMs: planned, elapsedMs: planned + more, wallElapsedMs })).toBe(true);
        // Once over it stays over, whatever passes.
        const now = { plannedMs: planned, elapsedMs: Math.floor(planned / 2), wallElapsedMs };
        const later = { ...now, elapsedMs: now.elapsedMs + more, wallElapsedMs: wallElapsedMs + more };
        if (isWaitOver(now)) expect(isWaitOver(later)).toBe(true);
      }),
    );
  });
});

test.each([
  [
    'a stated reset',
    nowMs,
    'limit reached, which lasts until 2025-11-16T08:00:00Z (waited 61 s of agent.max_wait_secs)',
  ],
  ['none', null, 'limit reached (waited 61 s of agent.max_wait_secs)'],
])('an agent that could not be waited for is blocked: %s', (_what, reset_at_ms, reason) => {
  const unavailable = {
    kind: 'unavailable',
    failure: 'rate_limited',
    reason: 'limit reached',
    fix: 'wait',
  } as const;
  expect(gaveUp({ ...unavailable, reset_at_ms }, 61_400)).toEqual({
    kind: 'blocked',
    failure: 'rate_limited',
    reason,
    fix: 'wait',
  });
});
