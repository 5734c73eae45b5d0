import { describe, expect, test } from 'vitest';
import { parseRunNote, renderRunNote } from '../../../src/core/runs/run-note.ts';
import type { RunNote } from '../../../src/core/runs/run-note.ts';

const base = { version: 1, run_id: 'slugs', prefix: '', at: '2026-11-18T10:00:00.000Z' } as const;
const notes: readonly RunNote[] = [
  { ...base, kind: 'working', waited_ms: 15_000 },
  {
    ...base,
    run_id: null,
    kind: 'waiting',
    until: '2026-11-18T11:00:00Z',
    reason: 'rate limited',
    agent: 'claude',
    failure: 'rate_limited',
    waited_ms: 0,
  },
  {
    ...base,
    kind: 'ended',
    state: 'stopped',
    code: 'GIT_DIRTY',
    sentence: 'dirty',
    hint: 'git stash -u',
    details: ['?? "new.js"'],
  },
];

test.each(notes)('what was written is read: %j', (note) => {
  expect(parseRunNote(renderRunNote(note))).toEqual(note);
});

test('a note of an older version says less', () => {
  expect(parseRunNote(JSON.stringify({ ...base, kind: 'working' }))).toMatchObject({ waited_ms: 0 });
  expect(
    parseRunNote(JSON.stringify({ ...base, kind: 'waiting', until: base.at, reason: 'busy' })),
  ).toMatchObject({ agent: null, failure: null, waited_ms: 0 });
  const ended = {
    ...base,
    kind: 'ended',
    state: 'paused',
    code: null,
    sentence: 'paused',
    hint: 'runner loop',
  };
  expect(parseRunNote(JSON.stringify(ended))).toMatchObject({ details: [] });
});

describe('what the runner did not write is nothing', () => {
  test.each([
    '',
    '{',
    'null',
    '[]',
    JSON.stringify({ ...base, kind: 'working', version: 2 }),
    JSON.stringify({ ...base, kind: 'working', more: 1 }),
    JSON.stringify({ ...base, kind: 'ended', state: 'won', code: null, sentence: '', hint: '' }),
    JSON.stringify({ ...base, kind: 'ended', state: 'stopped', code: 'MINE', sentence: '', hint: '' }),
    JSON.stringify({ ...base, kind: 'waiting', until: 'soon', reason: '' }),
    JSON.stringify({ ...base, kind: 'waiting', until: base.at, reason: 'x'.repeat(20_000) }),
  ])('%s', (text) => {
    expect(parseRunNote(text)).toBeNull();
  });
});
