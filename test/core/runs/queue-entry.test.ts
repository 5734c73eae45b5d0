/** Entries of the queue are read strictly: an agent could write there (§12). */
import { expect, test } from 'vitest';
import {
  describeEdit,
  parseQueueEntry,
  parseRefused,
  renderQueueFile,
} from '../../../src/core/runs/queue-entry.ts';
import type { QueueEntry } from '../../../src/core/runs/queue-entry.ts';

const entry: QueueEntry = {
  version: 1,
  id: 'a'.repeat(32),
  run_id: 'test',
  at: '2026-11-18T00:00:00.000Z',
  edit: { kind: 'drop', node: 'b', why: 'x' },
};

test('what is written is read again', () => {
  expect(parseQueueEntry(renderQueueFile(entry))).toEqual({ ok: true, value: entry });
  const refused = { reason: 'gone', entry };
  expect(parseRefused(renderQueueFile(refused))).toEqual({ ok: true, value: refused });
});

test.each([
  ['{', /line 1/],
  [JSON.stringify({ ...entry, id: '../x' }), /id/],
  [JSON.stringify({ ...entry, edit: { kind: 'retry', node: 'b' } }), /edit/],
  [JSON.stringify({ ...entry, edit: { ...entry.edit, passes: true } }), /passes/],
])('%s is refused', (text, problem) => {
  expect(parseQueueEntry(text)).toMatchObject({
    ok: false,
    problem: expect.stringMatching(problem) as string,
  });
});

const texts = { title: 'T', goal: '', acceptance: [] };

test.each([
  [{ kind: 'add', parent: 'a', nodes: [texts, texts], before: null, after: null }, 'add below a: T, T'],
  [{ kind: 'import', parent: 'a', nodes: [texts], file: 'p.json' }, 'import p.json below a (1)'],
  [{ kind: 'move', node: 'b', under: null, before: 'c', after: null }, 'move b'],
] as const)('%j for people', (edit, text) => {
  expect(describeEdit(structuredClone(edit) as unknown as QueueEntry['edit'])).toBe(text);
});
