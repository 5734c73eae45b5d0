import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTicket, waitsFor } from '../../../src/core/runs/run-turn.ts';
import type { QueuedRun } from '../../../src/core/runs/run-turn.ts';
import { runStatuses } from '../../../src/core/runs/record.ts';

function run(run_id: string, ticket: number, facts: Partial<QueuedRun> = {}): QueuedRun {
  return { run_id, ticket, status: 'queued', is_alive: true, ...facts };
}

test('the lowest ticket begins when fewer than the allowed number are at work', () => {
  const busy = run('a', 1, { status: 'running' });
  expect(waitsFor('b', [busy, run('b', 2)], 2)).toBeNull();
  expect(waitsFor('c', [busy, run('b', 2), run('c', 3)], 2)).toBe(1);
  expect(waitsFor('b', [{ ...busy, is_alive: false }, run('b', 2)], 1)).toBeNull();
  expect(waitsFor('b', [run('a', 1, { status: 'complete' }), run('b', 2)], 1)).toBeNull();
});

test('a ticket is above all others', () => {
  expect(nextTicket([])).toBe(1);
  expect(nextTicket([run('a', 4), run('b', 2)])).toBe(5);
});

test('never more at work than allowed, and somebody always goes on', () => {
  const runs = fc.uniqueArray(
    fc.record({
      ticket: fc.nat(30),
      status: fc.constantFrom(...runStatuses),
      is_alive: fc.boolean(),
    }),
    { selector: ({ ticket }) => ticket },
  );
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 4 }), (drawn, max) => {
      const all = drawn.map((one) => ({ ...one, run_id: `r${one.ticket}` }));
      const queued = all.filter(({ status, is_alive }) => status === 'queued' && is_alive);
      const working = all.filter(
        ({ status, is_alive }) => is_alive && ['starting', 'setup', 'running', 'waiting'].includes(status),
      );
      const begin = queued.filter(({ run_id }) => waitsFor(run_id, all, max) === null);
      expect(begin.length).toBe(Math.max(0, Math.min(max - working.length, queued.length)));
    }),
  );
});

test('a run that nobody works on waits for all that are alive', () => {
  expect(waitsFor('gone', [run('a', 1, { status: 'running' }), run('b', 2)], 2)).toBe(1);
});
