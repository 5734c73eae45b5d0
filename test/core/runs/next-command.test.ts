import { expect, test } from 'vitest';
import { hintForRun, nextCommand, renderElsewhere } from '../../../src/core/runs/next-command.ts';
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

test.each([
  ['runner loop', 'runner run resume a'],
  ['runner log --failed, then: runner loop', "runner -C '/my work' log --failed, then: runner run resume a"],
  [
    'RUNNER_GIT_SIGN=false runner loop (goes on without signing)',
    'runner run resume a (goes on without signing)',
  ],
  [
    'runner explain, then: runner retry root.2',
    "runner -C '/my work' explain, then: runner -C '/my work' retry root.2",
  ],
  [
    'git add -A && git commit, or: git stash -u',
    "git -C '/my work' add -A && git -C '/my work' commit, or: git -C '/my work' stash -u, then: runner run resume a",
  ],
  ['git push origin runner/a', "git -C '/my work' push origin runner/a"],
  ['codex login (or set CODEX_API_KEY)', 'codex login (or set CODEX_API_KEY), then: runner run resume a'],
  ['runner finish a', 'runner finish a'],
  ['runner explain AGENT_FAILING', 'runner explain AGENT_FAILING'],
])('a hint for another checkout: %s', (hint, expected) => {
  expect(hintForRun(hint, { run_id: 'a', worktree: '/my work', prefix: '' })).toBe(expected);
});

test('a hint for another checkout names the project in its work tree, where there is one', () => {
  const hint = 'runner log --failed, then: runner loop';
  expect(hintForRun(hint, { run_id: 'a', worktree: '/w', prefix: 'cases/x/' })).toBe(
    'runner -C /w/cases/x log --failed, then: runner run resume a',
  );
  expect(hintForRun(hint, { run_id: 'a', worktree: null, prefix: '' })).toBe(
    'runner log --failed, then: runner run resume a',
  );
});
