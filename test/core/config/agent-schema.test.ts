import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';

test.each<readonly [object, string]>([
  [{ agent: { effort: '' } }, 'agent.effort: must be an effort (text that is not empty), not ""'],
  [{ agent: { plan: 'm' } }, 'agent.plan: must be a table, not "m"'],
  [{ agent: { plan: { modle: 'm' } } }, 'agent.plan.modle: unknown key; did you mean agent.plan.model?'],
  [
    { agent: { escalate: { after_attempts: 0 } } },
    'agent.escalate.after_attempts: must be a whole number from 1 to 1000000, not 0',
  ],
  [
    { review: { agent: 'claude', env: ['A-B'] } },
    'review.env[0]: must be the name of an environment variable, not "A-B"',
  ],
])('%j', (file, wanted) => {
  const parsed = parseConfig(file);
  expect(parsed.ok ? [] : parsed.problems.map(({ key, message }) => `${key}: ${message}`)).toEqual([wanted]);
});
