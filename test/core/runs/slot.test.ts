import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freeSlot, slotEnvironment } from '../../../src/core/runs/slot.ts';

test('two slots share nothing', () => {
  const place = { run_id: 'Search.1', tmp_dir: '/tmp/x' };
  expect(slotEnvironment({ ...place, slot: 3 })).toEqual({
    RUNNER_SLOT: '3',
    RUNNER_PORT_BASE: '20060',
    COMPOSE_PROJECT_NAME: 'runner-3-search-1',
    TMPDIR: '/tmp/x',
  });
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50)), (numbers) => {
      const taken = new Set(numbers);
      const slot = freeSlot(taken);
      expect(taken.has(slot)).toBe(false);
      expect([...Array(slot).keys()].every((number) => taken.has(number))).toBe(true);
    }),
  );
});
