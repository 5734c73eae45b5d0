/** Entries of the queue are read strictly: an agent could write there (§12). */
import { expect, test } from 'vitest';
import {
  describeChange,
  isTreeEdit,
  parseQueueEntry,
  parseRefused,
  renderQueueFile,
} from '../../../src/core/runs/person-change.ts';
import type { QueueEntry } from '../../../src/core/runs/person-change.ts';

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
  [{ kind: 'add', parent: 'a', nodes: [texts, texts], before: null, after: null }, 'add below a: T, T', true],
  [{ kind: 'import', parent: 'a', nodes: [texts], file: 'p.json' }, 'import p.json below a (1)', true],
  [{ kind: 'move', node: 'b', under: null, before: 'c', after: null }, 'move b', true],
  [{ kind: 'drop', node: 'b', why: '' }, 'drop b', true],
  [{ kind: 'edit', node: 'b', texts: {} }, 'edit b', true],
  [{ kind: 'retry', node: 'b', max_attempts: null }, 'retry b', false],
  [{ kind: 'answer', question: '1.1', text: 'yes' }, 'answer 1.1', false],
  [{ kind: 'config', key: 'k', typed: '1' }, 'config set k', false],
  [{ kind: 'config', key: 'k', typed: null }, 'config unset k', false],
] as const)('%j for people, and whether an agent could do it itself', (edit, text, isEdit) => {
  const change = structuredClone(edit) as unknown as QueueEntry['edit'];
  expect(describeChange(change)).toBe(text);
  expect(isTreeEdit(change)).toBe(isEdit);
  expect(parseQueueEntry(renderQueueFile({ ...entry, edit: change }))).toMatchObject({ ok: true });
});
