import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';

import { parseConfig } from '../../../src/core/config/config.ts';
import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import { configKeys } from '../../../src/core/settings.js';

describe('renderDefaultConfig', () => {
  const text = renderDefaultConfig({ guardCommand: ['just', 'ci'] });

  test('[ancestor: config write_then_load_round_trips] means the defaults', () => {
    expect(parseConfig(parse(text))).toEqual(parseConfig({}));
    expect(text.startsWith('#:schema ./config.schema.json\n')).toBe(true);
    expect(text.endsWith(']\n')).toBe(true);
  });

  test('shows every key once, in order, with its default or a value that is allowed', () => {
    const opened = text.replaceAll(/^# (?=\w+ = )/gm, '');
    const listKeys = (table: object): readonly string[] =>
      Object.entries(table).flatMap(([key, value]: [string, unknown]) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? listKeys(value).map((name) => `${key}.${name}`)
          : [key],
      );
    const keys = listKeys(parse(opened));
    expect(keys).toEqual(configKeys.map(({ key }) => key));
    // Not every agent reports what it costs, so the limit on that needs one that does.
    const counting = opened.replace('name = "codex"', 'name = "claude"');
    expect(parseConfig(parse(counting))).toMatchObject({ ok: true });
    const unset = text
      .split('\n')
      .filter(
        (line, at, lines) =>
          !(lines[at - 1] ?? '').match(/^# (.*Not set|Only for|What the agent may|Seconds of silence)/) &&
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

  test('sets the setup that was found', () => {
    const setup = ['npm ci', 'echo "x" && y'];
    const found = renderDefaultConfig({ guardCommand: ['just', 'ci'], setup });
    expect(parse(found)).toEqual({ ...(parse(text) as object), automation: { setup } });
  });
});
