import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { configStore } from '../../../src/adapters/project/config-store.ts';
import type { ConfigSources } from '../../../src/adapters/project/config-store.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import { scratchFolder } from '../../support/scratch.ts';

function sources(text: string | null, more: Partial<ConfigSources> = {}): ConfigSources {
  const place = layout(scratchFolder());
  if (text !== null) {
    mkdirSync(dirname(place.config), { recursive: true });
    writeFileSync(place.config, text);
  }
  return { place, env: {}, flags: [], ...more };
}

test('[ancestor: config load_missing_returns_default] no file means the defaults', async () => {
  expect(await configStore(sources(null)).load()).toEqual(defaultConfig);
});

test('[ancestor: config write_then_load_round_trips] the file that init writes means the defaults and the guard', async () => {
  expect(await configStore(sources(renderDefaultConfig({ guardCommand: ['just', 'ci'] }))).load()).toEqual(
    defaultConfig,
  );
  const found = await configStore(sources(renderDefaultConfig({ guardCommand: ['npm', 'test'] }))).load();
  expect(found).toEqual({ ...defaultConfig, guard: { ...defaultConfig.guard, command: ['npm', 'test'] } });
});

test('flag over variable over file', async () => {
  const text = 'max_iterations = 1\nmax_attempts_default = 1\nprompt_budget_bytes = 1001\r\n';
  const env = { RUNNER_MAX_ITERATIONS: '2', RUNNER_PROMPT_BUDGET_BYTES: '1002' };
  const flags = [{ flag: '--prompt-budget', key: 'prompt_budget_bytes', value: 1003 }];
  expect(await configStore(sources(text, { env, flags })).load()).toMatchObject({
    max_attempts_default: 1,
    max_iterations: 2,
    prompt_budget_bytes: 1003,
  });
});

test('a syntax error names line and column', async () => {
  const asked = sources('a = 1\n[agent]\nname = "codex\n');
  await expect(configStore(asked).load()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/config\.toml:3:\d+: this is not valid TOML: .+/) as unknown,
  });
  await expect(configStore(sources('x = 99999999999999999999\n')).load()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

test('every problem comes at once with key, line and suggestion', async () => {
  const asked = sources('max_iteration = 3\n\n[agent]\nname = "cluade"\n', {
    env: { RUNNER_GIT_SIGN: 'maybe' },
  });
  await expect(configStore(asked).load()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `the configuration has 3 problems (${asked.place.config})`,
    details: [
      'git.sign (RUNNER_GIT_SIGN): must be true or false',
      `${asked.place.config}:4:1: agent.name: must be one of "codex", "claude", "opencode", "gemini", "qwen", "copilot", "pi", "droid", "command", "scripted", not "cluade"; did you mean "claude"?`,
      `${asked.place.config}:1:1: max_iteration: unknown key; did you mean max_iterations?`,
    ],
    hint: 'correct .runner/state/config.toml, then run: runner validate',
  });
  await expect(configStore(sources('x = 1\n')).load()).rejects.toMatchObject({
    message: expect.stringContaining('1 problem (') as unknown,
  });
});
