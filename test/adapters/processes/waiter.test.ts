import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { waiter } from '../../../src/adapters/processes/waiter.ts';
import type { SignalName } from '../../../src/core/types.ts';
import { testInterrupts } from '../../support/sessions.ts';

const start = Date.UTC(2026, 10, 16, 6, 0);

/** Timers and both clocks stand still until the test moves them. */
beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Waiting {
  readonly ticks: readonly number[];
  readonly interrupts: ReturnType<typeof testInterrupts>;
  readonly over: () => SignalName | null | 'still';
  readonly done: Promise<SignalName | null>;
}

function wait(ms: number, interrupts = testInterrupts()): Waiting {
  const ticks: number[] = [];
  let result: SignalName | null | 'still' = 'still';
  const done = waiter({ clock: systemClock(), interrupts })
    .wait({ ms, onTick: (leftMs) => ticks.push(leftMs) })
    .then((signal) => (result = signal));
  return { ticks, interrupts, done, over: () => result };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** The wall clock alone: somebody sets it, or the machine slept. */
function setClock(byMs: number): void {
  vi.setSystemTime(Date.now() + byMs);
}

test('it lasts as long as asked, and tells every second how long still', async () => {
  const { ticks, over } = wait(3500);
  await pass(3499);
  expect(over()).toBe('still');
  await pass(1);
  expect(over()).toBeNull();
  expect(ticks).toEqual([3500, 2500, 1500, 500]);
  expect(vi.getTimerCount()).toBe(0);
});

test('no time is no wait', async () => {
  const { done, ticks } = wait(0);
  expect(await done).toBeNull();
  expect(ticks).toEqual([]);
});

describe('a signal', () => {
  test('ends it at once', async () => {
    const { interrupts, done } = wait(3_600_000);
    await pass(1500);
    interrupts.send('SIGINT');
    expect(await done).toBe('SIGINT');
    expect(Date.now()).toBe(start + 1500);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that came before lets it not begin', async () => {
    const interrupts = testInterrupts();
    interrupts.send('SIGTERM');
    const { done, ticks } = wait(3_600_000, interrupts);
    expect(await done).toBe('SIGTERM');
    expect(ticks).toEqual([]);
  });

  test('finds nobody listening once the wait is over', async () => {
    const interrupts = testInterrupts();
    let listening = 0;
    const counted = {
      ...interrupts,
      subscribe: (listener: (signal: SignalName) => void) => {
        listening += 1;
        const stop = interrupts.subscribe(listener);
        return () => {
          listening -= 1;
          stop();
        };
      },
    };
    const { over } = wait(5000, counted);
    await pass(5000);
    expect([over(), listening]).toEqual([null, 0]);
  });
});

describe('clocks', () => {
  test('a wall clock that is set back does not lengthen it', async () => {
    const { over, ticks } = wait(3000);
    await pass(1000);
    setClock(-86_400_000);
    await pass(1999);
    expect(over()).toBe('still');
    await pass(1);
    expect(over()).toBeNull();
    expect(ticks).toEqual([3000, 2000, 1000]);
  });

  test('a machine that slept does not wait on: the wall clock has it', async () => {
    const { over, ticks } = wait(3_600_000);
    await pass(500);
    setClock(3_599_000);
    await pass(500);
    expect(over()).toBeNull();
    expect(ticks).toEqual([3_600_000]);
  });

  test('what it slept is off what is left', async () => {
    const { over, ticks } = wait(10_000);
    await pass(500);
    setClock(4000);
    await pass(500);
    expect(ticks).toEqual([10_000, 5000]);
    await pass(5000);
    expect(over()).toBeNull();
  });
});
