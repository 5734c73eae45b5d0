/** Settings with their origin, values as people type them, and the last look before a file is replaced. */
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { findSettingLine } from '../../../src/core/config/config-edit.ts';
import { parseLayeredConfig } from '../../../src/core/config/config-file.ts';
import type { ConfigLayers } from '../../../src/core/config/config-layers.ts';
import { configKeys } from '../../../src/core/settings.js';
import {
  checkKey,
  differsOnlyIn,
  editSetting,
  renderTypedList,
  listSettings,
  renderOrigin,
} from '../../../src/core/config/setting-list.ts';

const text = '# x\nmax_iterations = 5\n\n[agent]\nname = "claude"\n[guard]\ncommand = ["make"]\n';
const layers: ConfigLayers = {
  file: parse(text),
  text,
  env: { RUNNER_MAX_ITERATIONS: '7', RUNNER_ON_STUCK: 'defer', RUNNER_GIT_SIGN: '' },
  flags: [{ flag: '--agent', key: 'agent.name', value: 'codex' }],
};

test('every key once, in order, with the value in force and where it comes from', () => {
  const parsed = parseLayeredConfig(layers);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const list = listSettings(layers, parsed.config);
  expect(list.map(({ key }) => key)).toEqual(configKeys.map(({ key }) => key));
  const shown = new Map(list.map(({ key, value, origin }) => [key, [value, renderOrigin(origin)]]));
  expect(shown.get('max_iterations')).toEqual([7, 'env:RUNNER_MAX_ITERATIONS']);
  expect(shown.get('on_stuck')).toEqual(['defer', 'env:RUNNER_ON_STUCK']);
  expect(shown.get('agent.name')).toEqual(['codex', 'flag:--agent']);
  expect(shown.get('guard.command')).toEqual([['make'], 'file:.runner/state/config.toml:7']);
  expect(shown.get('agent.model')).toEqual([null, 'default']);
  expect(shown.get('git.sign')).toEqual([false, 'default']);
});

test('the line of a key, however its table is written', () => {
  expect(findSettingLine('a = 1\n"agent" . name = "x"\n', 'agent.name')).toBe(2);
  expect(findSettingLine('\nagent = { name = "x" }\n', 'agent.name')).toBe(2);
  expect(findSettingLine('[agent]\r\n# name = "x"\r\n  name = "x"', 'agent.name')).toBe(3);
  expect(findSettingLine('[agent]\n# name = "x"\n', 'agent.name')).toBe(null);
});

test('a key that is none is told, with the nearest one', () => {
  expect(checkKey('agent.name')).toBe(null);
  expect(checkKey('agent.nmae')).toBe("there is no setting 'agent.nmae'; did you mean agent.name?");
  expect(checkKey('zzzzzz')).toBe("there is no setting 'zzzzzz'");
  expect(checkKey('agent')).toMatch(/no setting/);
});

describe('what people type', () => {
  test.each([
    ['max_iterations', '80', 'max_iterations = 80'],
    ['limits.max_cost_usd', '2.5', 'max_cost_usd = 2.5'],
    ['git.sign', 'true', 'sign = true'],
    ['agent.plan.model', 'm', '[agent.plan]'],
    ['agent.model', 'gpt 5', 'model = "gpt 5"'],
    ['agent.model', '"gpt 5"', 'model = "gpt 5"'],
    ['agent.model', '"open', String.raw`model = "\"open"`],
    ['guard.command', '["a","b c"]', 'command = ["a", "b c"]'],
  ])('%s %s', (key, typed, line) => {
    const edited = editSetting('', { key, typed });
    expect(edited.ok && edited.text.split('\n').includes(line), JSON.stringify(edited)).toBe(true);
  });

  test.each([
    ['max_iterations', 'many', "max_iterations must be a whole number, not 'many'"],
    ['git.sign', 'yes', "git.sign must be true or false, not 'yes'"],
    ['limits.max_cost_usd', 'x', "limits.max_cost_usd must be a number, not 'x'"],
    ['guard.command', 'make', `guard.command must be a JSON list, e.g. ["just","ci"], not 'make'`],
    ['guard.command', '[1]', "guard.command must be a list of texts, not '[1]'"],
  ])('%s %s is refused', (key, typed, message) => {
    expect(editSetting('', { key, typed })).toEqual({ ok: false, message });
  });

  test('nothing takes the key out', () => {
    expect(editSetting('max_iterations = 5\n', { key: 'max_iterations', typed: null })).toEqual({
      ok: true,
      text: '',
    });
  });
});

test('two files that differ in more than the key are told apart', () => {
  const before = { max_iterations: 5, git: { sign: true } };
  expect(differsOnlyIn('max_iterations', before, { ...before, max_iterations: 6 })).toBe(true);
  expect(differsOnlyIn('git.sign', before, { max_iterations: 5 })).toBe(true);
  expect(differsOnlyIn('git.run_hooks', before, { ...before, git: { sign: true, run_hooks: true } })).toBe(
    true,
  );
  expect(differsOnlyIn('tree.max_repairs', before, { ...before, tree: { max_repairs: 1 } })).toBe(true);
  expect(differsOnlyIn('git.run_hooks', before, { ...before, git: { sign: false, run_hooks: true } })).toBe(
    false,
  );
  expect(differsOnlyIn('max_iterations', before, { max_iterations: 6 })).toBe(false);
  const deep = { ...before, agent: { plan: { model: 'm' } } };
  expect(differsOnlyIn('agent.plan.model', before, deep)).toBe(true);
  expect(differsOnlyIn('agent.plan.effort', before, deep)).toBe(false);
});

test.each([
  ['guard.command', 'npm test', `runner config set guard.command '["npm","test"]'`],
  ['guard.command', 'go test ./...', `runner config set guard.command '["go","test","./..."]'`],
  ['guard.command', '["npm", test]', null],
  ['guard.command', 'sh -c "a b"', null],
  ['max_iterations', 'many', null],
])('a list of plain words as it has to be typed: %s %s', (key, typed, command) => {
  expect(renderTypedList(key, typed)).toBe(command);
});
