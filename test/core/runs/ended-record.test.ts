import { describe, expect, test } from 'vitest';
import { defaultRunState } from '../../../src/core/iteration/run-state.ts';
import { endRecord } from '../../../src/core/runs/ended-record.ts';
import { parseRunRecord, renderRunRecord } from '../../../src/core/runs/record.ts';

describe('endRecord', () => {
  const ended = {
    run_id: 'demo',
    how: 'finished',
    now: '2026-11-18T00:00:00Z',
    title: 'Page',
    branch: 'runner/demo',
    leaves: { passed: 1, all: 2 },
    tip: 'abc',
    prefix: '',
    reason: null,
    by: 'cli',
  } as const;

  test('makes a record that can be read, with or without a state', () => {
    const state = { ...defaultRunState, next_iter: 3, base_branch: 'main', base_commit: 'def' };
    const made = endRecord(null, { ...ended, state });
    expect(made).toMatchObject({ status: 'finished', base_commit: 'def', iterations: { used: 2, max: 2 } });
    for (const record of [made, endRecord(null, { ...ended, how: 'abandoned', state: null })])
      expect(parseRunRecord(renderRunRecord(record))).toEqual({ ok: true, record });
  });

  test('keeps what a record knows, and adds a line of the audit', () => {
    const before = { ...endRecord(null, { ...ended, state: null }), agent: 'codex', worktree: '/w', slot: 3 };
    const after = endRecord(before, { ...ended, how: 'abandoned', state: null, by: 'web' });
    expect(after).toMatchObject({ agent: 'codex', worktree: null, slot: null, status: 'abandoned' });
    expect(after.audit.map(({ action, by }) => `${action} ${by}`)).toEqual(['finish cli', 'abandon web']);
  });
});
