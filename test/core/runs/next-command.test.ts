import { expect, test } from 'vitest';
import { nextCommand, renderElsewhere } from '../../../src/core/runs/next-command.ts';
import { known, one, tip } from '../../support/run-facts.ts';

test('the next command for a run, and the line that says so', () => {
  const open = one([tip()]);
  expect(nextCommand(open)).toBe('git switch runner/a');
  expect(nextCommand(one([tip({ checkout: '/my work' })]))).toBe("cd '/my work'");
  expect(nextCommand(one([tip({ checkout: '/w' })]))).toBe('cd /w');
  expect(nextCommand(one([tip({ kind: 'archive' })]))).toBeNull();
  expect(nextCommand(one([], [{ kind: 'broken', run_id: 'a', problems: [] }]))).toBe('runner abandon a');
  expect(renderElsewhere(open)).toBe(
    'run a (Landing page) is open on runner/a, 0/2 passed: git switch runner/a',
  );
  expect(renderElsewhere(one([], [known({ status: 'queued' }, true)]))).toBe(
    'run a is open, queued: runner run attach a',
  );
  expect(renderElsewhere(one([tip({ kind: 'archive', goal: null, tree: null, branch: null })]))).toBe(
    'run a is abandoned: runner run show a',
  );
});
