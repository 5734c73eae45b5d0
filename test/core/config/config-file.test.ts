import { describe, expect, test } from 'vitest';

import { findKeyLine, parseLayeredConfig } from '../../../src/core/config/config-file.ts';

const none = { file: {}, text: '', env: {}, flags: [] };

function problems(layers: Partial<Parameters<typeof parseLayeredConfig>[0]>): readonly string[] {
  const parsed = parseLayeredConfig({ ...none, ...layers });
  return parsed.ok ? [] : parsed.problems;
}

describe('findKeyLine', () => {
  const text = '# x\nmax_iterations = 0\n\n[guard]\ncommand = [\n  "a"\n]\n[ agent ]\nname = "x"\n';
  test.each([
    ['max_iterations', 2],
    ['guard', 4],
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
