import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { agentTraits } from '../../../src/core/config/agents.ts';
import { parseConfig, parseStoredConfig, suggestKey } from '../../../src/core/config/config.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import { configKeys } from '../../../src/core/settings.js';
import type { AgentName, Config } from '../../../src/core/types.ts';

const defaults: Config = {
  max_iterations: 50,
  max_attempts_default: 3,
  iteration_timeout_secs: 1800,
  executor_output_limit_bytes: 1_000_000,
  guard_output_limit_bytes: 1_000_000,
  prompt_budget_bytes: 40_000,
  on_stuck: 'stop',
  on_timeout: 'stop',
  agent: {
    name: 'codex',
    model: null,
    effort: null,
    bin: null,
    extra_args: [],
    env: [],
    command: null,
    script: null,
    permissions: null,
    permission_mode: null,
    idle_timeout_secs: null,
    max_failures: 5,
    max_wait_secs: 21_600,
    plan: { model: null, effort: null },
    escalate: { model: null, effort: null, after_attempts: 2 },
  },
  limits: { max_run_secs: null, max_tokens: null, max_cost_usd: null },
  guard: {
    command: ['just', 'ci'],
    timeout_secs: null,
    baseline: true,
    empty_change: 'confirm',
    protect: null,
    policy: 'ratchet',
    tests: null,
    checkout: 'auto',
    counterfactual: 'off',
    env: [],
  },
  automation: { setup: [], setup_timeout_secs: 900, max_parallel: null },
  sandbox: {
    root: null,
    kind: 'auto',
    image: 'runner',
    network: true,
    guard: null,
    guard_network: null,
    read: [],
    write: [],
    memory_mb: 8192,
    max_processes: 2048,
  },
  review: { agent: null, model: null, effort: null, bin: null, extra_args: null, env: null },
  tree: { allow_removal: false, max_repairs: 2 },
  git: { run_hooks: false, sign: false, push: null },
  notify: { command: null },
};

const agentNames = Object.keys(agentTraits) as AgentName[];
const reviewers = '"codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command"';

function problems(value: unknown): readonly string[] {
  const parsed = parseConfig(value);
  return parsed.ok ? [] : parsed.problems.map(({ key, message }) => `${key}: ${message}`);
}

describe('defaults', () => {
  test('[ancestor: config load_missing_returns_default] an empty document gives every default', () => {
    expect(parseConfig({})).toEqual({ ok: true, config: defaults });
    expect(defaultConfig).toEqual(defaults);
  });

  test('[ancestor: config config_fixture_loads] every key can be set', () => {
    const value = {
      max_iterations: 7,
      max_attempts_default: 4,
      iteration_timeout_secs: 60,
      executor_output_limit_bytes: 1000,
      guard_output_limit_bytes: 2000,
      prompt_budget_bytes: 5000,
      on_stuck: 'decompose',
      on_timeout: 'continue',
      agent: {
        name: 'claude',
        model: 'm',
        bin: '/opt/agent',
        extra_args: ['--x'],
        env: ['A_KEY'],
        command: ['./agent', ''],
        script: 's.json',
        permissions: 'workspace',
        permission_mode: 'plan',
        idle_timeout_secs: 0,
        max_failures: 1,
        max_wait_secs: 0,
        effort: 'max',
        plan: { model: 'p', effort: 'low' },
        escalate: { model: 'e', effort: 'high', after_attempts: 1 },
      },
      limits: { max_run_secs: 3600, max_tokens: 1_000_000, max_cost_usd: 2.5 },
      guard: {
        command: ['make', 'test'],
        timeout_secs: 9,
        baseline: false,
        empty_change: 'allow',
        protect: ['docs/**'],
        policy: 'open',
        tests: ['t/**'],
        checkout: 'every',
        counterfactual: 'require',
        env: ['CI_TOKEN'],
      },
      automation: { setup: ['npm ci'], setup_timeout_secs: 5, max_parallel: 3 },
      sandbox: {
        root: '/var/tmp/runs',
        kind: 'docker',
        image: 'registry.test:5000/a/b@sha256:00',
        network: false,
        guard: true,
        guard_network: false,
        read: ['/opt/x'],
        write: ['~/.cache', '~'],
        memory_mb: 512,
        max_processes: 99,
      },
      review: { agent: 'opencode', model: 'r', effort: 'x', bin: '/r', extra_args: ['--r'], env: ['R_KEY'] },
      tree: { allow_removal: true, max_repairs: 0 },
      git: { run_hooks: true, sign: true, push: 'origin' },
      notify: { command: ['say'] },
    };
    expect(parseConfig(value)).toEqual({ ok: true, config: value });
  });

  test('a config that was stored whole reads back equal', () => {
    expect(parseStoredConfig(structuredClone(defaults))).toEqual({ ok: true, config: defaults });
    expect(parseStoredConfig({ ...defaults, agent: null })).toEqual({ ok: true, config: defaults });
    expect(parseStoredConfig(undefined)).toEqual({
      ok: false,
      problems: [{ key: '', message: 'is missing; must be a table' }],
    });
  });
});

describe('problems', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ max_iterations: 0 }, 'max_iterations: must be a whole number from 1 to 1000000, not 0'],
    [{ max_iterations: 1_000_001 }, 'max_iterations: must be a whole number from 1 to 1000000, not 1000001'],
    [{ max_iterations: 0.5 }, 'max_iterations: must be a whole number from 1 to 1000000, not 0.5'],
    [{ max_iterations: '5' }, 'max_iterations: must be a whole number from 1 to 1000000, not "5"'],
    [{ max_attempts_default: 0 }, 'max_attempts_default: must be a whole number from 1 to 1000000, not 0'],
    [
      { iteration_timeout_secs: 604_801 },
      'iteration_timeout_secs: must be a whole number from 1 to 604800, not 604801',
    ],
    [
      { executor_output_limit_bytes: 999 },
      'executor_output_limit_bytes: must be a whole number from 1000 to 1000000000, not 999',
    ],
    [
      { guard_output_limit_bytes: 999 },
      'guard_output_limit_bytes: must be a whole number from 1000 to 1000000000, not 999',
    ],
    [
      { prompt_budget_bytes: 999 },
      'prompt_budget_bytes: must be a whole number from 1000 to 100000000, not 999',
    ],
    [{ on_stuck: 'halt' }, 'on_stuck: must be one of "stop", "defer", "decompose", not "halt"'],
    [{ on_timeout: 1 }, 'on_timeout: must be one of "stop", "continue", not 1'],
    [{ agent: 3 }, 'agent: must be a table, not 3'],
    [
      { agent: { name: 'cluade' } },
      `agent.name: must be one of ${reviewers}, "scripted", not "cluade"; did you mean "claude"?`,
    ],
    [{ agent: { model: '' } }, 'agent.model: must be a model name (text that is not empty), not ""'],
    [
      { agent: { model: 'a\u0000' } },
      'agent.model: must be a model name (text that is not empty), not "a\\u0000"',
    ],
    [{ agent: { env: ['A B'] } }, 'agent.env[0]: must be the name of an environment variable, not "A B"'],
    [{ agent: { extra_args: 'x' } }, 'agent.extra_args: must be a list of texts, not "x"'],
    [
      { agent: { idle_timeout_secs: -1 } },
      'agent.idle_timeout_secs: must be a whole number from 0 to 604800, not -1',
    ],
    [{ agent: { max_failures: 0 } }, 'agent.max_failures: must be a whole number from 1 to 1000000, not 0'],
    [
      { agent: { max_wait_secs: -1 } },
      'agent.max_wait_secs: must be a whole number from 0 to 604800, not -1',
    ],
    [
      { agent: { max_wait_secs: 604_801 } },
      'agent.max_wait_secs: must be a whole number from 0 to 604800, not 604801',
    ],
    [
      { limits: { max_run_secs: 0 } },
      'limits.max_run_secs: must be a whole number from 1 to 31536000, not 0',
    ],
    [
      { limits: { max_tokens: 0 } },
      'limits.max_tokens: must be a whole number from 1 to 9007199254740991, not 0',
    ],
    [
      { limits: { max_tokens: 1.5 } },
      'limits.max_tokens: must be a whole number from 1 to 9007199254740991, not 1.5',
    ],
    [
      { limits: { max_cost_usd: 0 } },
      'limits.max_cost_usd: must be a number above 0, at most 1000000000, not 0',
    ],
    [
      { limits: { max_cost_usd: 1_000_000_001 } },
      'limits.max_cost_usd: must be a number above 0, at most 1000000000, not 1000000001',
    ],
    [
      { limits: { max_cost_usd: NaN } },
      'limits.max_cost_usd: must be a number above 0, at most 1000000000, not NaN',
    ],
    [
      { limits: { max_cost_usd: '5' } },
      'limits.max_cost_usd: must be a number above 0, at most 1000000000, not "5"',
    ],
    [{ guard: { baseline: 1 } }, 'guard.baseline: must be true or false, not 1'],
    [{ review: { agent: 'x' } }, `review.agent: must be one of ${reviewers}, not "x"`],
    [{ review: { agent: 'scripted' } }, `review.agent: must be one of ${reviewers}, not "scripted"`],
    [
      { review: { agent: 'codex', model: '' } },
      'review.model: must be a model name (text that is not empty), not ""',
    ],
    [{ review: 'codex' }, 'review: must be a table, not "codex"'],
    [
      { guard: { command: [] } },
      'guard.command: must be a list of texts, first the program, e.g. ["just", "ci"], not []',
    ],
    [
      { guard: { command: [' '] } },
      'guard.command: must be a list of texts, first the program, e.g. ["just", "ci"], not [" "]',
    ],
    [
      { guard: { command: 'just ci' } },
      'guard.command: must be a list of texts, first the program, e.g. ["just", "ci"], not "just ci"',
    ],
    [
      { guard: { command: ['a', 1] } },
      'guard.command[1]: must be a list of texts, first the program, e.g. ["just", "ci"], not 1',
    ],
    [{ guard: { timeout_secs: 0 } }, 'guard.timeout_secs: must be a whole number from 1 to 604800, not 0'],
    [{ guard: { protect: [''] } }, 'guard.protect[0]: must be a glob (text that is not empty), not ""'],
    [{ tree: { allow_removal: 'yes' } }, 'tree.allow_removal: must be true or false, not "yes"'],
    [{ tree: { max_repairs: -1 } }, 'tree.max_repairs: must be a whole number from 0 to 1000, not -1'],
    [[], ': must be a table, not []'],
  ];
  test.each(wrong)('%j', (value, message) => {
    expect(problems(value)).toEqual([message]);
  });

  test('a long value is shown shortened', () => {
    expect(problems({ on_stuck: 'x'.repeat(500) })[0]).toHaveLength(
      'on_stuck: must be one of "stop", "defer", "decompose", not …'.length + 60,
    );
  });

  test('all problems come at once, sorted by key', () => {
    const value = { zzz: 1, on_stuck: 'no', agent: { name: 'scripted', nam: 1 }, guard: { command: [] } };
    expect(problems(value).map((line) => line.split(':')[0])).toEqual([
      'agent.nam',
      'agent.script',
      'guard.command',
      'on_stuck',
      'zzz',
    ]);
  });

  test.each([
    [{ max_iteration: 1 }, 'max_iteration: unknown key; did you mean max_iterations?'],
    [{ agent: { nmae: 'codex' } }, 'agent.nmae: unknown key; did you mean agent.name?'],
    [{ empty_change: 'allow' }, 'empty_change: unknown key; did you mean guard.empty_change?'],
    [{ agent: { max_wait: 1 } }, 'agent.max_wait: unknown key'],
    [{ limits: { max_token: 1 } }, 'limits.max_token: unknown key; did you mean limits.max_tokens?'],
    [{ command: ['x'] }, 'command: unknown key; did you mean agent.command?'],
    [{ review: { agents: 'x' } }, 'review.agents: unknown key; did you mean review.agent?'],
    [{ reviewer: { agent: 'x' } }, 'reviewer: unknown key; did you mean review?'],
    [{ x: 1 }, 'x: unknown key'],
  ])('unknown key %j', (value, message) => {
    expect(problems(value)).toEqual([message]);
  });

  test('every key is found again after one slip', () => {
    const slip = fc.record({
      index: fc.nat(configKeys.length - 1),
      at: fc.nat(200),
      letter: fc.constantFrom('x', '_', 'é'),
    });
    fc.assert(
      fc.property(slip, ({ index, at, letter }) => {
        const key = configKeys[index]?.key ?? '';
        const dot = key.indexOf('.') + 1;
        const place = dot + (at % (key.length - dot));
        const misspelt = `${key.slice(0, place)}${letter}${key.slice(place + 1)}`;
        expect(suggestKey(misspelt)).not.toBeNull();
      }),
    );
  });
});

describe('rules that join keys', () => {
  test.each([
    [{ name: 'command' }, 'agent.command: must be set when agent.name is "command"'],
    [{ name: 'scripted' }, 'agent.script: must be set when agent.name is "scripted"'],
    [
      { name: 'claude', permissions: 'workspace' },
      'agent.permissions: "workspace" cannot be enforced for agent.name "claude"; must be "full" or not set',
    ],
    [
      { name: 'scripted', script: 'a', permissions: 'workspace' },
      'agent.permissions: "workspace" cannot be enforced for agent.name "scripted"; must be "full" or not set',
    ],
  ])('%j', (agent, message) => {
    expect(problems({ agent, sandbox: { kind: 'none' } })).toEqual([message]);
  });

  test.each([
    { name: 'codex', permissions: 'workspace' },
    { permissions: 'workspace' },
    { name: 'claude', permissions: 'full' },
    { name: 'claude', permissions: 'workspace' },
    { name: 'command', command: ['x'] },
    { name: 'scripted', script: 'x' },
  ])('%j is fine', (agent) => {
    expect(problems({ agent })).toEqual([]);
  });

  test.each<[string, unknown, readonly string[]]>([
    [
      'the program of a reviewer of your own must be named',
      { review: { agent: 'command' } },
      ['agent.command: must be set when review.agent is "command"'],
    ],
    ['here it is', { agent: { command: ['x'] }, review: { agent: 'command' } }, []],
    [
      'told once when it is the agent too',
      { agent: { name: 'command' }, review: { agent: 'command' } },
      ['agent.command: must be set when agent.name is "command"'],
    ],
    [
      'a model needs its reviewer',
      { review: { model: 'm' } },
      ['review.agent: must be set when review.model is set'],
    ],
    ['a reviewer needs no model', { review: { agent: 'claude' } }, []],
  ])('%s', (_what, value, expected) => {
    expect(problems(value)).toEqual(expected);
  });
});

describe('a limit must be one that can be kept (§9)', () => {
  test.each(agentNames)('%s', (name) => {
    const traits = agentTraits[name];
    const agent = { name, command: ['x'], script: 'x' };
    expect(problems({ agent, limits: { max_tokens: 1 } })).toEqual(
      traits.reportsTokens
        ? []
        : [`limits.max_tokens: cannot be kept: the agent "${name}" reports no tokens`],
    );
    expect(problems({ agent, limits: { max_cost_usd: 0.01 } })).toEqual(
      traits.reportsCost ? [] : [`limits.max_cost_usd: cannot be kept: the agent "${name}" reports no cost`],
    );
    expect(problems({ agent, limits: { max_run_secs: 1 } })).toEqual([]);
  });

  test('a reviewer spends too', () => {
    const review = { agent: 'codex' };
    expect(
      problems({ agent: { name: 'claude' }, review, limits: { max_cost_usd: 1, max_tokens: 1 } }),
    ).toEqual(['limits.max_cost_usd: cannot be kept: the agent "codex" reports no cost']);
  });

  test('both are told', () => {
    const agent = { name: 'scripted', script: 'x' };
    expect(problems({ agent, limits: { max_tokens: 1, max_cost_usd: 1 } })).toHaveLength(2);
  });
});
