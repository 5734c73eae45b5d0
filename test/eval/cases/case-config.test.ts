import { describe, expect, test } from 'vitest';

import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import { agentTable, renderTrialConfig } from '../../../src/eval/cases/case-config.ts';
import type { Variant } from '../../../src/eval/cases/types.ts';

const byCase: Variant = { kind: 'agent', agent: null, model: null };
const nothing = { script: null, envNames: [] };

describe('agentTable', () => {
  test.each([
    ['the agent of the case', { name: 'claude', bin: 'x' }, byCase, { name: 'claude', bin: 'x', env: [] }],
    ['the default agent', {}, byCase, { name: 'codex', env: [] }],
    [
      'a model alone',
      { bin: 'x' },
      { ...byCase, model: 'm' },
      { bin: 'x', name: 'codex', model: 'm', env: [] },
    ],
    [
      'another agent does without what speaks of the first one',
      { name: 'claude', model: 'm', bin: 'x', extra_args: ['-v'], max_failures: 2 },
      { ...byCase, agent: 'codex' },
      { name: 'codex', max_failures: 2, env: [] },
    ],
    [
      'the same agent by name keeps all',
      { name: 'claude', bin: 'x' },
      { ...byCase, agent: 'claude', model: 'n' },
      { name: 'claude', bin: 'x', model: 'n', env: [] },
    ],
  ])('%s', (_name, agent, variant, expected) => {
    expect(agentTable({ agent }, variant, nothing)).toEqual(expected);
  });

  test('a script takes the agent’s place', () => {
    const agent = { name: 'claude', model: 'm', max_wait_secs: 0 };
    const given = { script: '/x/script.json', envNames: [] };
    expect(agentTable({ agent }, byCase, given)).toEqual({
      name: 'scripted',
      script: '/x/script.json',
      max_wait_secs: 0,
      env: [],
    });
  });

  test('variables are named once, in order', () => {
    const agent = { env: ['B', 'EVAL_CASE'] };
    const given = { script: null, envNames: ['EVAL_CASE', 'A'] };
    expect(agentTable({ agent }, byCase, given)['env']).toEqual(['A', 'B', 'EVAL_CASE']);
  });
});

describe('renderTrialConfig', () => {
  const template = renderDefaultConfig({ guardCommand: ['npm', 'test'] });

  test('every kind of value lands in its table', () => {
    const text = renderTrialConfig(
      template,
      { max_iterations: 3, limits: { max_cost_usd: 0.5 }, guard: { command: ['true'], baseline: false } },
      { name: 'scripted', script: '/a "b"/s.json', env: ['X'] },
    );
    expect(text).toContain('\nmax_iterations = 3\n');
    expect(text).toMatch(/\[agent\][^[]*(?:\[\][^[]*)*\nname = "scripted"\n/);
    expect(text).toContain('script = "/a \\"b\\"/s.json"');
    expect(text).toContain('env = ["X"]');
    expect(text).toContain('max_cost_usd = 0.5');
    expect(text).toContain('command = ["true"]');
    expect(text).not.toContain('"npm"');
  });

  test('[ancestor: eval_config preserves_guard_when_no_override] what the case does not name stays', () => {
    expect(renderTrialConfig(template, {}, {})).toBe(template);
    expect(renderTrialConfig(template, { max_iterations: 3 }, {})).toContain('\ncommand = ["npm", "test"]\n');
  });

  test('[ancestor: eval_config applies_guard_override] a guard of the case replaces it', () => {
    const text = renderTrialConfig(template, { guard: { command: ['just', 'other'] } }, {});
    expect(text).toContain('\ncommand = ["just", "other"]\n');
  });
});
