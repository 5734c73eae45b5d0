import { describe, expect, test } from 'vitest';

import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import {
  agentTable,
  bringsSandbox,
  isShellLine,
  renderTrialConfig,
  trialSettings,
} from '../../../src/eval/cases/case-config.ts';
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
    const text = renderTrialConfig(template, {
      config: {
        max_iterations: 3,
        limits: { max_cost_usd: 0.5 },
        guard: { command: ['true'], baseline: false },
      },
      agent: { name: 'scripted', script: '/a "b"/s.json', env: ['X'] },
      typed: { max_attempts_default: '7', on_stuck: 'stop' },
    });
    expect(text).toContain('\nmax_attempts_default = 7\n');
    expect(text).toContain('\non_stuck = "stop"\n');
    expect(text).toContain('\nmax_iterations = 3\n');
    expect(text).toMatch(/\[agent\][^[]*(?:\[\][^[]*)*\nname = "scripted"\n/);
    expect(text).toContain('script = "/a \\"b\\"/s.json"');
    expect(text).toContain('env = ["X"]');
    expect(text).toContain('max_cost_usd = 0.5');
    expect(text).toContain('command = ["true"]');
    expect(text).not.toContain('"npm"');
  });

  test('[ancestor: eval_config preserves_guard_when_no_override] what the case does not name stays', () => {
    // No sandbox comes by itself; everything else is as it was.
    const plain = renderTrialConfig(template, { config: {}, agent: {}, typed: {} });
    expect(plain).toContain('\nkind = "none"\n');
    expect(plain.replace('\nkind = "none"', '')).toBe(template);
    expect(renderTrialConfig(template, { config: { max_iterations: 3 }, agent: {}, typed: {} })).toContain(
      '\ncommand = ["npm", "test"]\n',
    );
  });

  test('[ancestor: eval_config applies_guard_override] a guard of the case replaces it', () => {
    const text = renderTrialConfig(template, {
      config: { guard: { command: ['just', 'other'] } },
      agent: {},
      typed: {},
    });
    expect(text).toContain('\ncommand = ["just", "other"]\n');
  });
});

test('what a trial ran with: settings of the case, of its agent and what was typed, spelled alike', () => {
  const agent = { name: 'command', command: ['a'], script: '/x/y', env: ['E'] };
  const config = { max_iterations: 3, on_stuck: 'stop', guard: { command: ['true'] } };
  expect(trialSettings({ config }, agent, { max_iterations: '9', 'agent.bin': 'b' })).toEqual({
    'agent.bin': '"b"',
    'agent.command': '["a"]',
    'agent.name': '"command"',
    'guard.command': '["true"]',
    max_iterations: '9',
    on_stuck: '"stop"',
  });
});

test('an agent that is a line of the shell, and a solution that is a program', () => {
  const agent = { name: 'codex', model: 'm', max_failures: 2 };
  const typed = { kind: 'agent', agent: 'command', model: null, command: 'my agent' } as const;
  expect(agentTable({ agent }, typed, { script: null, envNames: [] })).toEqual({
    name: 'command',
    command: ['sh', '-c', 'my agent'],
    max_failures: 2,
    env: [],
  });
  const oracle = { kind: 'oracle', agent: null, model: null } as const;
  expect(agentTable({ agent }, oracle, { script: null, command: ['bash', 'x'], envNames: ['A'] })).toEqual({
    name: 'command',
    command: ['bash', 'x'],
    max_failures: 2,
    env: ['A'],
  });
});

test('a value that is none changes nothing: the command line was checked before', () => {
  const typed = { max_iterations: 'many' };
  expect(renderTrialConfig('max_iterations = 3\n', { config: {}, agent: {}, typed })).toBe(
    'max_iterations = 3\n\n[sandbox]\nkind = "none"\n',
  );
  expect(trialSettings({ config: {} }, {}, typed)).toEqual({ max_iterations: 'many' });
});

test.each([
  [{ name: 'command' }, {}, {}, false],
  [{ name: 'codex' }, {}, {}, true],
  [{ name: 'codex', permissions: 'full' }, {}, {}, false],
  [{ name: 'codex' }, { 'agent.permissions': '"full"' }, {}, false],
  [{ name: 'command' }, { 'sandbox.kind': 'none' }, {}, false],
  [{ name: 'command' }, { 'sandbox.kind': 'bwrap' }, {}, true],
  [{ name: 'command' }, { 'sandbox.kind': 'none' }, { RUNNER_SANDBOX_KIND: 'auto' }, true],
])('%j with %j and %j makes a sandbox of its own: %s', (agent, typed, env, isOwn) => {
  expect(bringsSandbox(agent, { typed: { ...typed }, env: { ...env } })).toBe(isOwn);
});

test('a line of the shell is known by its command', () => {
  expect(isShellLine({ name: 'command', command: ['sh', '-c', 'my-agent'] })).toBe(true);
  for (const command of [undefined, ['my-agent'], ['sh', 'agent.sh'], 'sh -c'])
    expect(isShellLine({ name: 'command', command })).toBe(false);
  expect(isShellLine({ name: 'codex', command: ['sh', '-c', 'x'] })).toBe(false);
});
