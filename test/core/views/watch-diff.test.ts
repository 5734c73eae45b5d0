/** Two looks at a project: every difference is told once, and nothing else. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IterationLook, ProjectLook } from '../../../src/core/views/watch-diff.ts';
import { emptyLook, listChanges } from '../../../src/core/views/watch-diff.ts';

function look(files: Readonly<Record<string, number>>, is_complete = false): IterationLook {
  return { is_complete, files: new Map(Object.entries(files)) };
}

function runs(looks: Readonly<Record<number, IterationLook>>): ProjectLook['runs'] {
  return new Map([['r', new Map(Object.entries(looks).map(([iter, each]) => [Number(iter), each]))]]);
}

test('state files by name', () => {
  const after = { ...emptyLook, tree: 'a', run_state: 'b', config: 'c', memory: 'd' };
  expect(listChanges(emptyLook, after).map(({ name }) => name)).toEqual([
    'tree_changed',
    'run_state_changed',
    'config_changed',
    'memory_changed',
  ]);
  expect(listChanges(after, { ...after })).toEqual([]);
});

test('background runs that are new, other or gone', () => {
  const before = { ...emptyLook, background: new Map(Object.entries({ a: '1', b: '1', c: '1' })) };
  const after = { ...emptyLook, background: new Map(Object.entries({ a: '1', b: '2', d: '1' })) };
  expect(listChanges(before, after)).toEqual(
    ['b', 'c', 'd'].map((run_id) => ({ name: 'run_changed', data: { run_id } })),
  );
});

test('an iteration begins, prints and ends', () => {
  const begun = { ...emptyLook, runs: runs({ 1: look({ 'prompt.md': 5 }) }) };
  const place = { run_id: 'r', iter: 1 };
  expect(listChanges(emptyLook, begun)).toEqual([
    { name: 'iteration_added', data: place },
    { name: 'stream_updated', data: { ...place, file: 'prompt.md', bytes: 5 } },
  ]);
  const ended = { ...emptyLook, runs: runs({ 1: look({ 'prompt.md': 5, 'guard.log': 0 }, true) }) };
  expect(listChanges(begun, ended)).toEqual([
    { name: 'stream_updated', data: { ...place, file: 'guard.log', bytes: 0 } },
    { name: 'iteration_completed', data: place },
  ]);
  expect(listChanges(ended, ended)).toEqual([]);
  const more = {
    ...emptyLook,
    runs: new Map([['r', new Map([...(ended.runs.get('r') ?? []), [2, look({}, true)]])]]),
  };
  expect(listChanges(ended, more)).toEqual([
    { name: 'iteration_added', data: { run_id: 'r', iter: 2 } },
    { name: 'iteration_completed', data: { run_id: 'r', iter: 2 } },
  ]);
});

test('laying the changes over the first look gives the sizes of the second', () => {
  const files = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat({ max: 3 }));
  fc.assert(
    fc.property(files, files, (first, second) => {
      const before = { ...emptyLook, runs: runs({ 1: look(first) }) };
      const after = { ...emptyLook, runs: runs({ 1: look(second) }) };
      const laid: Record<string, number> = { ...first };
      for (const { name, data } of listChanges(before, after))
        if (name === 'stream_updated') laid[data.file] = data.bytes;

      expect(laid).toMatchObject({ ...second });
    }),
  );
});
