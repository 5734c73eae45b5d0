import { expect, test } from 'vitest';
import { fitHint } from '../../src/core/setting-hint.ts';

const setBy = new Map([
  ['max_iterations', '--max-iterations'],
  ['limits.max_tokens', 'RUNNER_LIMITS_MAX_TOKENS'],
]);

test.each([
  [
    'runner config set max_iterations 2, then: runner loop',
    'give --max-iterations at least 2, or leave it out: it stands above the file',
  ],
  [
    'runner config set limits.max_tokens 720, then: runner loop',
    'give RUNNER_LIMITS_MAX_TOKENS at least 720, or leave it out: it stands above the file',
  ],
  [
    'runner config set prompt_budget_bytes 3902 (or more)',
    'runner config set prompt_budget_bytes 3902 (or more)',
  ],
  ['git switch runner/max_iterations', 'git switch runner/max_iterations'],
  ['', ''],
])('%j', (hint, fitting) => expect(fitHint(hint, setBy)).toBe(fitting));
