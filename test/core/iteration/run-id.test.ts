import { describe, expect, test } from 'vitest';
import { checkBranch, checkRunIdentity } from '../../../src/core/iteration/run-id.ts';

describe('checkRunIdentity', () => {
  test('all three agree', () => {
    expect(checkRunIdentity({ goalId: 'x', stateId: 'x', branch: 'runner/x' })).toEqual({ ok: true });
  });

  test.each([
    [
      { goalId: 'x', stateId: null, branch: 'runner/x' },
      'RUN_NOT_STARTED',
      'no run has been started here',
      'runner start',
    ],
    [{ goalId: null, stateId: 'x', branch: 'runner/x' }, 'RUN_ID_MISMATCH', 'missing goal id', 'id: x'],
    [
      { goalId: 'y', stateId: 'x', branch: 'runner/x' },
      'RUN_ID_MISMATCH',
      "run id mismatch: run_state.json has 'x' but .runner/GOAL.md has 'y'",
      'runner start',
    ],
    [
      { goalId: 'x', stateId: 'x', branch: 'topic' },
      'GIT_WRONG_BRANCH',
      "expected to be on 'runner/x' but on 'topic'",
      'git switch runner/x',
    ],
    [
      { goalId: 'x', stateId: 'x', branch: null },
      'GIT_WRONG_BRANCH',
      'but on no branch',
      'git switch runner/x',
    ],
  ] as const)('%j: %s', (identity, code, message, hint) => {
    expect(checkRunIdentity(identity)).toMatchObject({
      ok: false,
      code,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

test.each(['main', 'master'])('the runner does not work on %s', (branch) => {
  expect(checkBranch(branch)).toEqual({
    ok: false,
    code: 'GIT_PROTECTED_BRANCH',
    message: `the runner does not work on '${branch}'`,
    hint: 'runner start',
  });
});

test.each(['runner/main', 'maintenance', 'Main'])('it may work on %s', (branch) => {
  expect(checkBranch(branch)).toEqual({ ok: true });
});
