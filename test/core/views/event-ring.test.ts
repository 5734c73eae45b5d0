/** The ring of events: whoever comes back gets exactly what it missed, or is told to load everything. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventRing, parseEventId, renderEvent } from '../../../src/core/views/event-ring.ts';
import type { UiChange } from '../../../src/core/views/event-ring.ts';

/** What ends lines, texts and elements. */
const hostile = fc.constantFrom(
  'a',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\u2029',
  '"',
  '<',
  '&',
  '\\',
  'é',
  '😀',
  '\ud800',
);

const change: UiChange = { name: 'tree_changed', data: {} };

test('what was missed is told, as long as it is known', () => {
  const step = fc.constantFrom('add' as const, 'add' as const, 'add' as const, 'clear' as const);
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 70 })),
      fc.integer({ min: 1, max: 8 }),
      (steps, back, countMax) => {
        const ring = eventRing({ firstId: 100, countMax });
        const given: (number | null)[] = [];
        for (const each of steps) {
          if (each === 'add') {
            given.push(ring.add(change).id);
          } else {
            ring.clear();
            given.push(null);
          }
        }
        const id = 100 + steps.length - back;
        expect(ring.newest()).toBe(100 + steps.length);
        const after = given.slice(Math.max(0, given.length - back));
        const isKnown = back <= steps.length && after.length <= countMax && !after.includes(null);
        expect(ring.since(id)?.map((event) => event.id) ?? null).toEqual(isKnown ? after : null);
      },
    ),
  );
});

test('the last ones are known, the one before them is not', () => {
  const ring = eventRing({ firstId: 5, countMax: 2 });
  for (let count = 0; count < 5; count += 1) ring.add(change);
  expect([7, 8, 9, 10].map((id) => ring.since(id)?.map((event) => event.id))).toEqual([
    undefined,
    [9, 10],
    [10],
    [],
  ]);
  ring.clear();
  expect([10, 11].map((id) => ring.since(id))).toEqual([null, []]);
});

test('nothing missed is nothing to tell; a number from the future is not ours', () => {
  const ring = eventRing({ firstId: 5, countMax: 2 });
  expect(ring.since(5)).toEqual([]);
  expect(ring.since(4)).toBeNull();
  expect(ring.since(6)).toBeNull();
});

test('events are one line of data each, whatever they hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: hostile }), fc.nat(), (run_id, id) => {
      const text = renderEvent({ id, name: 'iteration_added', data: { run_id, iter: 1 } });
      const lines = text.split(/\r\n|\r|\n/);
      expect(lines).toHaveLength(5);
      expect(lines.slice(0, 2)).toEqual([`id: ${id}`, 'event: iteration_added']);
      expect(JSON.parse(lines[2]?.slice('data: '.length) ?? '')).toEqual({ run_id, iter: 1 });
    }),
  );
  expect(renderEvent({ id: null, name: 'resync', data: {} })).toBe('event: resync\ndata: {}\n\n');
});

test('numbers of events', () => {
  expect(['7', '', 'x', '-1', '1e9', '9'.repeat(16)].map(parseEventId)).toEqual([
    7,
    null,
    null,
    null,
    null,
    null,
  ]);
});
