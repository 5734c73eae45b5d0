import { expect, test } from 'vitest';
import { differingKey, provenKeys, readRunState } from '../../../src/core/proof/run-states.ts';
import { renderRunState } from '../../../src/core/iteration/run-state.ts';
import { fullRunState, runStateWith, textSource } from '../../support/facts.ts';

test('keys of other versions are left alone; one that is not valid is not readable', () => {
  const text = renderRunState(fullRunState);
  const value = JSON.parse(text) as Record<string, unknown>;
  const read = readRunState(textSource(JSON.stringify({ ...value, later: { x: 1 } })));
  expect(read === null ? null : differingKey(fullRunState, read)).toBeNull();
  for (const odd of ['{', 'null', '[]', JSON.stringify({ ...value, next_iter: 'x' })])
    expect(readRunState(textSource(odd))).toBeNull();
});

test('the first key that differs is named, unless it is free', () => {
  const other = runStateWith({ judged_sessions: 99 });
  expect(differingKey(runStateWith(), other)).toMatchObject({ rule: 'run_state.judged_sessions' });
  expect(differingKey(runStateWith(), other, ['judged_sessions'])).toBeNull();
  expect(provenKeys).toContain('ratchet');
});
