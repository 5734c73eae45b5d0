import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HeldIds } from '../../../src/core/runs/free-id.ts';
import { chooseFreeId, findHolder } from '../../../src/core/runs/free-id.ts';

const none: HeldIds = { branches: [], archives: [], records: [], history: [] };

test('an id is held by a branch, a record, an archive ref or a trailer', () => {
  expect(findHolder('x', none)).toBe(null);
  expect(findHolder('x', { ...none, branches: ['x'] })).toBe('branch');
  expect(findHolder('x', { ...none, records: ['x'] })).toBe('record');
  expect(findHolder('x', { ...none, archives: ['x'] })).toBe('archive');
  expect(findHolder('x', { ...none, history: ['x'] })).toBe('history');
});

test('the chosen id is free, begins with the wanted one, and is that one if it is free', () => {
  const ids = fc.array(fc.constantFrom('a', 'a-2', 'a-3', 'a-4', 'b', 'b-2', 'c'));
  const held = fc.record({ branches: ids, archives: ids, records: ids, history: ids });
  fc.assert(
    fc.property(fc.constantFrom('a', 'b-2', 'c', 'd'), held, (wanted, all) => {
      const id = chooseFreeId(wanted, all);
      expect(findHolder(id, all)).toBe(null);
      if (findHolder(wanted, all) === null) expect(id).toBe(wanted);
      else expect(id).toMatch(new RegExp(`^${wanted[0]}(-2)?-[0-9]+$`));
    }),
  );
});

test('a run after x-2 is x-3, unless no run is called x', () => {
  expect(chooseFreeId('x-2', { ...none, branches: ['x', 'x-2'] })).toBe('x-3');
  expect(chooseFreeId('v-2', { ...none, branches: ['v-2'] })).toBe('v-2-2');
});
