import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/files/clock.ts';
import { bundleAdapters } from '../../support/adapter-bundle.ts';

const bundle = await bundleAdapters(['files/clock']);

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

describe('the local clock', () => {
  test.each([
    ['UTC', 0],
    ['Asia/Kolkata', 330],
    ['America/Caracas', -240],
  ])('%s is so many minutes east of UTC', (zone, offsetMinutes) => {
    const code = 'process.stdout.write(JSON.stringify(adapters.systemClock().localNow()))';
    const { stdout } = bundle.run({ code, env: { TZ: zone } });
    expect(JSON.parse(stdout)).toEqual({ epochMs: expect.any(Number) as unknown, offsetMinutes });
  });

  test('is the wall clock', () => {
    const before = Date.now();
    const { epochMs } = systemClock().localNow();
    expect(epochMs).toBeGreaterThanOrEqual(before);
    expect(epochMs).toBeLessThanOrEqual(Date.now());
  });
});
