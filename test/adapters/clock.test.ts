import { expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';

test('wall time is ISO 8601 in UTC', () => {
  expect(systemClock().nowIso()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('the monotonic clock never goes back, and all clocks agree', () => {
  const first = systemClock();
  const second = systemClock();
  let before = first.monotonicMs();
  for (let turn = 0; turn < 1000; turn += 1) {
    const now = (turn % 2 === 0 ? second : first).monotonicMs();
    expect(now).toBeGreaterThanOrEqual(before);
    before = now;
  }
});
