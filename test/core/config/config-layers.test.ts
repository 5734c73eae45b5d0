import { describe, expect, test } from 'vitest';

import { parseLayeredConfig } from '../../../src/core/config/config-file.ts';
import {
  applyEnvironment,
  layConfig,
  readOverrides,
  renderOverrides,
} from '../../../src/core/config/config-layers.ts';
import { configKeys } from '../../../src/core/settings.js';

const none = { file: {}, text: '', env: {}, flags: [] };

function problems(layers: Partial<Parameters<typeof parseLayeredConfig>[0]>): readonly string[] {
  const parsed = parseLayeredConfig({ ...none, ...layers });
  return parsed.ok ? [] : parsed.problems;
}

describe('environment', () => {
  test('every key has its variable', () => {
    const names = configKeys.map(({ variable }) => variable);
    expect(new Set(names).size).toBe(names.length);
    expect(configKeys).toContainEqual({
      key: 'agent.max_failures',
      kind: 'integer',
      variable: 'RUNNER_AGENT_MAX_FAILURES',
      choices: [],
    });
    const choices = configKeys.find(({ key }) => key === 'git.sign')?.choices;
    expect(choices).toEqual(['true', 'false']);
  });

  test('overrides the file', () => {
    const parsed = parseLayeredConfig({
      ...none,
      file: { max_iterations: 3, guard: { timeout_secs: 5 } },
      env: {
        RUNNER_MAX_ITERATIONS: '9',
        RUNNER_AGENT_NAME: 'claude',
        RUNNER_GUARD_COMMAND: '["make","x y"]',
        RUNNER_TREE_ALLOW_REMOVAL: 'true',
        RUNNER_GIT_SIGN: 'false',
        RUNNER_LIMITS_MAX_COST_USD: '2.50',
        RUNNER_LIMITS_MAX_TOKENS: '1000000',
        RUNNER_REVIEW_AGENT: 'opencode',
        RUNNER_GUARD_BASELINE: 'false',
        RUNNER_ON_STUCK: '',
        RUNNER_OS: 'Linux',
        RUNNER_TEMP: '/x',
      },
    });
    expect(parsed).toMatchObject({
      ok: true,
      config: {
        max_iterations: 9,
        on_stuck: 'stop',
        agent: { name: 'claude' },
        limits: { max_cost_usd: 2.5, max_tokens: 1_000_000 },
        guard: { command: ['make', 'x y'], timeout_secs: 5, baseline: false },
        review: { agent: 'opencode', model: null },
        tree: { allow_removal: true },
        git: { sign: false },
      },
    });
  });

  test('further names mean the same settings', () => {
    const parsed = parseLayeredConfig({
      ...none,
      env: {
        RUN_LOOP_AGENT: 'claude',
        RUN_LOOP_AGENT_BIN: '/opt/claude',
        RUN_LOOP_AGENT_MODEL: 'm',
        RUNNER_AGENT_MODEL: 'm',
        RUN_LOOP_AGENT_EXTRA_ARGS: ' --a  b ',
        RUN_LOOP_CLAUDE_PERMISSION_MODE: 'plan',
        RUNNER_CLAUDE_PERMISSION_MODE: 'plan',
        RUN_LOOP_EXECUTOR: 'docker',
        RUNNER_EXECUTOR: '',
      },
    });
    expect(parsed).toMatchObject({
      ok: true,
      config: {
        agent: {
          name: 'claude',
          bin: '/opt/claude',
          model: 'm',
          extra_args: ['--a', 'b'],
          permission_mode: 'plan',
        },
        sandbox: { kind: 'docker' },
      },
    });
    const { setBy } = applyEnvironment({}, { RUNNER_AGENT_MODEL: 'm', RUN_LOOP_AGENT_MODEL: 'm' });
    expect([...setBy]).toEqual([['agent.model', 'RUNNER_AGENT_MODEL, RUN_LOOP_AGENT_MODEL']]);
  });

  test.each([
    [
      { RUNNER_AGENT_NAME: 'codex', RUN_LOOP_AGENT: 'claude' },
      'agent.name (RUNNER_AGENT_NAME, RUN_LOOP_AGENT): these variables mean the same setting and differ',
    ],
    [
      { RUNNER_SANDBOX_KIND: 'none', RUNNER_EXECUTOR: 'docker' },
      'sandbox.kind (RUNNER_SANDBOX_KIND, RUNNER_EXECUTOR): these variables mean the same setting and differ',
    ],
    [{ RUNNER_EXECUTOR: 'constructor' }, 'sandbox.kind (RUNNER_EXECUTOR): must be one of "local", "docker"'],
    [
      { RUN_LOOP_AGENT_EXTRA_ARGS: '["a"' },
      'agent.extra_args (RUN_LOOP_AGENT_EXTRA_ARGS): must be a JSON list, e.g. ["just","ci"]',
    ],
    [{ RUNNER_MAX_ITERATIONS: 'many' }, 'max_iterations (RUNNER_MAX_ITERATIONS): must be a whole number'],
    [{ RUNNER_MAX_ITERATIONS: '1e3' }, 'max_iterations (RUNNER_MAX_ITERATIONS): must be a whole number'],
    [
      { RUNNER_MAX_ITERATIONS: '0' },
      'max_iterations (RUNNER_MAX_ITERATIONS): must be a whole number from 1 to 1000000, not 0',
    ],
    [{ RUNNER_GIT_SIGN: 'yes' }, 'git.sign (RUNNER_GIT_SIGN): must be true or false'],
    [
      { RUNNER_GUARD_COMMAND: 'just ci' },
      'guard.command (RUNNER_GUARD_COMMAND): must be a JSON list, e.g. ["just","ci"]',
    ],
    [
      { RUNNER_GUARD_COMMAND: '{}' },
      'guard.command (RUNNER_GUARD_COMMAND): must be a JSON list, e.g. ["just","ci"]',
    ],
    [
      { RUNNER_AGENT_NAME: 'x' },
      'agent.name (RUNNER_AGENT_NAME): must be one of "codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command", "scripted", not "x"',
    ],
    [
      { RUNNER_LIMITS_MAX_COST_USD: 'much' },
      'limits.max_cost_usd (RUNNER_LIMITS_MAX_COST_USD): must be a number',
    ],
    [
      { RUNNER_LIMITS_MAX_COST_USD: '1e3' },
      'limits.max_cost_usd (RUNNER_LIMITS_MAX_COST_USD): must be a number',
    ],
    [
      { RUNNER_LIMITS_MAX_COST_USD: '.5' },
      'limits.max_cost_usd (RUNNER_LIMITS_MAX_COST_USD): must be a number',
    ],
    [
      { RUNNER_AGENT_NAME: 'claude', RUNNER_LIMITS_MAX_COST_USD: '-2.5' },
      'limits.max_cost_usd (RUNNER_LIMITS_MAX_COST_USD): must be a number above 0, at most 1000000000, not -2.5',
    ],
    [
      { RUNNER_LIMITS_MAX_TOKENS: '1.5' },
      'limits.max_tokens (RUNNER_LIMITS_MAX_TOKENS): must be a whole number',
    ],
  ])('%j', (env, message) => {
    expect(problems({ env })).toEqual([message]);
  });

  test('leaves what is not a table to the parser', () => {
    expect(problems({ file: { agent: 3 }, env: { RUNNER_AGENT_NAME: 'claude' } })).toEqual([
      'agent: must be a table, not 3',
    ]);
    expect(applyEnvironment(3, { RUNNER_AGENT_NAME: 'claude' }).value).toBe(3);
  });
});

describe('flags', () => {
  const flag = { flag: '--prompt-budget', key: 'prompt_budget_bytes', value: 5000 };

  test('override file and environment, even a bad variable', () => {
    const env = { RUNNER_PROMPT_BUDGET_BYTES: 'x' };
    expect(
      parseLayeredConfig({ ...none, file: { prompt_budget_bytes: 9000 }, env, flags: [flag] }),
    ).toMatchObject({
      ok: true,
      config: { prompt_budget_bytes: 5000 },
    });
  });

  test('are named in problems', () => {
    expect(problems({ flags: [{ ...flag, value: 1 }] })).toEqual([
      'prompt_budget_bytes (--prompt-budget): must be a whole number from 1000 to 100000000, not 1',
    ]);
  });
});

test('file, environment, flags: each over the one before, and who set it', () => {
  const laid = layConfig({
    file: { max_iterations: 1, agent: { name: 'claude' } },
    env: { RUNNER_MAX_ITERATIONS: '2', RUNNER_AGENT_MODEL: 'm' },
    flags: [{ flag: '--max-iterations', key: 'max_iterations', value: 3 }],
  });
  expect(laid.value).toEqual({ max_iterations: 3, agent: { name: 'claude', model: 'm' } });
  expect(Object.fromEntries(laid.setBy)).toEqual({
    max_iterations: '--max-iterations',
    'agent.model': 'RUNNER_AGENT_MODEL',
  });
});

test('overrides that decide verdicts, as they stand in a commit', () => {
  expect(renderOverrides({ env: { PATH: '/bin' }, flags: [] })).toEqual([]);
  expect(
    renderOverrides({
      env: {
        RUNNER_GUARD_COMMAND: '["npm","test"]',
        RUNNER_AGENT_NAME: 'claude',
        RUNNER_ON_STUCK: 'defer',
        // Who reads or pays is not how it is judged.
        RUNNER_MAX_ITERATIONS: '9',
        RUNNER_AGENT_BIN: '/x',
      },
      flags: [
        { flag: '--agent', key: 'agent.name', value: 'codex' },
        { flag: '--x', key: 'tree.allow_removal', value: true },
      ],
    }),
  ).toEqual([
    'on_stuck="defer"',
    'agent.name="codex"',
    'guard.command=["npm","test"]',
    'tree.allow_removal=true',
  ]);
  const flags = [{ flag: '--x', key: 'guard.command', value: ['sh', '-c', 'a   b\u2028é😀'] }];
  const lines = renderOverrides({ env: {}, flags });
  expect(lines).toEqual([String.raw`guard.command=["sh","-c","a \u0020\u0020b\u2028\u00e9\ud83d\ude00"]`]);
  expect(readOverrides(lines)).toEqual([{ ...flags[0], flag: 'Runner-Setting' }]);
  expect(readOverrides(['guard.command=x'])).toMatchObject([{ value: null }]);
  // A value that is not allowed stops the command before anything is judged.
  expect(renderOverrides({ env: { RUNNER_GUARD_COMMAND: 'x' }, flags: [] })).toEqual([
    'guard.command=undefined',
  ]);
});
