import { expect, test } from 'vitest';
import { fittingHint } from '../../../src/core/config/setting-hint.ts';

const fit = fittingHint({
  env: { RUNNER_LIMITS_MAX_TOKENS: '9', RUNNER_MAX_ITERATIONS: '9', RUNNER_PROMPT_BUDGET_BYTES: '' },
  flags: [{ flag: '--max-iterations', key: 'max_iterations', value: 1 }],
});

test.each([
  ['runner config set max_iterations 2, then: runner loop', 'runner loop --max-iterations 2'],
  [
    'runner config set limits.max_tokens 720, then: runner loop',
    'set RUNNER_LIMITS_MAX_TOKENS to at least 720, or remove it: it overrides the file',
  ],
  [
    'runner config set prompt_budget_bytes 3902 (or more)',
    'runner config set prompt_budget_bytes 3902 (or more)',
  ],
  ['git switch runner/max_iterations', 'git switch runner/max_iterations'],
  ['', ''],
])('%j', (hint, fitting) => expect(fit(hint)).toBe(fitting));

test('a hint that raises a setting generously still names the least value that helps', () => {
  expect(fit('runner config set max_iterations 20, then: runner loop', 11)).toBe(
    'runner loop --max-iterations 11',
  );
});
