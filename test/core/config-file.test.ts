import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';

import {
  applyEnvironment,
  findKeyLine,
  parseLayeredConfig,
  renderDefaultConfig,
  variableName,
} from '../../src/core/config-file.ts';
import { configKeys } from '../../src/core/config-schema.ts';
import { parseConfig } from '../../src/core/config.ts';

const none = { file: {}, text: '', env: {}, flags: [] };

function problems(layers: Partial<Parameters<typeof parseLayeredConfig>[0]>): readonly string[] {
  const parsed = parseLayeredConfig({ ...none, ...layers });
  return parsed.ok ? [] : parsed.problems;
}

describe('renderDefaultConfig', () => {
  const text = renderDefaultConfig({ guardCommand: ['just', 'ci'] });

  test('[ancestor: config write_then_load_round_trips] means the defaults', () => {
    expect(parseConfig(parse(text))).toEqual(parseConfig({}));
    expect(text.startsWith('#:schema ./config.schema.json\n')).toBe(true);
    expect(text.endsWith(']\n')).toBe(true);
  });

  test('shows every key once, in order, with its default or a value that is allowed', () => {
    const opened = text.replaceAll(/^# (?=\w+ = )/gm, '');
    const keys = Object.entries(parse(opened)).flatMap(([key, value]) =>
      typeof value === 'object' && !Array.isArray(value)
        ? Object.keys(value).map((name) => `${key}.${name}`)
        : [key],
    );
    expect(keys).toEqual(configKeys.map(({ key }) => key));
    // Not every agent reports what it costs, so the limit on that needs one that does.
    const counting = opened.replace('name = "codex"', 'name = "claude"');
    expect(parseConfig(parse(counting))).toMatchObject({ ok: true });
    const unset = text
      .split('\n')
      .filter(
        (line, at, lines) =>
          !(lines[at - 1] ?? '').match(/^# (Not set|Only for|What the agent may|Seconds of silence)/) &&
          line.length > 0,
      );
    const defaults = unset.join('\n').replaceAll(/^# (?=\w+ = )/gm, '');
    expect(parseConfig(parse(defaults))).toEqual(parseConfig({}));
  });

  test('sets the guard command when it is another one', () => {
    const found = renderDefaultConfig({ guardCommand: ['npm', 'test'] });
    expect(found).toContain('\ncommand = ["npm", "test"]\n');
    expect(parse(found)).toMatchObject({ guard: { command: ['npm', 'test'] } });
    for (const guardCommand of [['just', 'test'], ['make', 'ci'], ['just']]) {
      expect(parse(renderDefaultConfig({ guardCommand }))).toMatchObject({
        guard: { command: guardCommand },
      });
    }
  });
});

describe('environment', () => {
  test('every key has its variable', () => {
    const names = configKeys.map(({ key }) => variableName(key));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('RUNNER_AGENT_MAX_FAILURES');
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

  test.each([
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

describe('findKeyLine', () => {
  const text = '# x\nmax_iterations = 0\n\n[guard]\ncommand = [\n  "a"\n]\n[ agent ]\nname = "x"\n';
  test.each([
    ['max_iterations', 2],
    ['guard.command', 5],
    ['guard.command[0]', 5],
    ['agent.name', 9],
    ['agent.model', null],
    ['command', null],
  ])('%s', (key, line) => {
    expect(findKeyLine(text, key)).toBe(line);
  });

  test('an inline table and dotted keys', () => {
    expect(findKeyLine('agent = { name = "x" }\n', 'agent.name')).toBe(1);
    expect(findKeyLine('agent.name = "x"\n', 'agent.name')).toBe(1);
  });

  test('problems name line and column', () => {
    expect(problems({ file: { guard: { command: [] } }, text })).toEqual([
      'line 5, column 1: guard.command: must be a list of texts, first the program, e.g. ["just", "ci"], not []',
    ]);
    expect(problems({ file: { agent: { nam: 1 } }, text: '[agent]\n  nam = 1\n' })).toEqual([
      'line 2, column 3: agent.nam: unknown key; did you mean agent.name?',
    ]);
  });
});

test('a wrong item of a list names the variable that set the list', () => {
  expect(problems({ env: { RUNNER_AGENT_ENV: '["A=B"]' } })).toEqual([
    'agent.env[0] (RUNNER_AGENT_ENV): must be the name of an environment variable, not "A=B"',
  ]);
});

test('of many problems the first 50 are told, and how many there are', () => {
  const file = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`unknown_${at}`, at]));
  const parsed = parseLayeredConfig({ file, text: '', env: {}, flags: [] });
  expect(parsed).toMatchObject({ ok: false, count: 60 });
  expect(problems({ file })).toHaveLength(51);
  expect(problems({ file }).at(-1)).toBe('and 10 more');
});

test('a value is shown without what stands below its first level', () => {
  expect(problems({ file: { max_iterations: { a: { b: { c: 1 } }, d: null } } })).toEqual([
    'max_iterations: must be a whole number from 1 to 1000000, not {"a":"…","d":null}',
  ]);
});
