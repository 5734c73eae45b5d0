import { expect, test } from 'vitest';
import { outcomeNames } from '../../../src/core/iteration/outcome-row.ts';
import { failureOf, isReport } from '../../../src/core/views/failure.ts';

test.each(outcomeNames)('%s', (outcome) => {
  const isGood = ['pass', 'decomposed', 'repaired'].includes(outcome);
  const found = failureOf({ outcome, status: 'retry', guard: 'skipped' });
  expect(found === null).toBe(isGood);
  expect(found?.log ?? null).toBe(
    {
      'agent-failed': 'executor.log',
      'guard-fail': 'guard.log',
      'ratchet-fail': 'guard.log',
      'clone-fail': 'guard.clone.log',
    }[outcome as string] ?? null,
  );
});

test('a record without a row is told by its status', () => {
  expect(failureOf({ outcome: '', status: 'done', guard: 'fail' })).toEqual({
    text: 'the guard failed',
    log: 'guard.log',
  });
  expect(failureOf({ outcome: '', status: 'retry', guard: 'skipped' })).toEqual({
    text: 'not done',
    log: null,
  });
  expect(failureOf({ outcome: '', status: 'done', guard: 'pass' })).toBeNull();
});

test('what an agent reports as JSON is no line that it printed', () => {
  expect(isReport('{"type":"result","is_error":true}\r')).toBe(true);
  expect(isReport("Error: Cannot find module '{x}'")).toBe(false);
});
