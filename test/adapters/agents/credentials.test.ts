import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import { describeCredential as describeLogin } from '../../../src/adapters/agents/credentials.ts';
import { claude } from '../../../src/adapters/agents/executors/claude.ts';
import { codex } from '../../../src/adapters/agents/executors/codex.ts';
import { opencode } from '../../../src/adapters/agents/executors/opencode.ts';
import { pi } from '../../../src/adapters/agents/executors/pi.ts';
import type { ExecutorSpec } from '../../../src/adapters/agents/executors/spec.ts';
import { executorTable } from '../../../src/adapters/agents/executors/table.ts';
import { configWith } from '../../support/facts.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { sessionOptions, stage } from '../../support/sessions.ts';

function describeCredential(
  spec: ExecutorSpec,
  env: Readonly<Record<string, string>>,
  model: string | null = null,
): Promise<string | null> {
  return describeLogin(spec, { env, model });
}

const secret = 'sk-very-secret';

function home(...files: readonly string[]): string {
  const folder = scratchFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify({ token: secret }));
  }
  return folder;
}

describe('which login will be used', () => {
  test('the only one there is', async () => {
    expect(await describeCredential(codex, { HOME: home(), CODEX_API_KEY: secret })).toBe(
      'API key in CODEX_API_KEY',
    );
    expect(await describeCredential(codex, { HOME: home('.codex/auth.json') })).toBe(
      'login of codex (auth.json)',
    );
    expect(await describeCredential(claude, { HOME: home('.claude/.credentials.json') })).toBe(
      'login of claude (.credentials.json)',
    );
  });

  test('a variable that hides a login is called out', async () => {
    expect(await describeCredential(codex, { HOME: home('.codex/auth.json'), CODEX_API_KEY: secret })).toBe(
      'API key in CODEX_API_KEY, which overrides: login of codex (auth.json)',
    );
    const env = {
      HOME: home('.claude/.credentials.json'),
      CLAUDE_CODE_OAUTH_TOKEN: secret,
      ANTHROPIC_API_KEY: secret,
    };
    expect(await describeCredential(claude, env)).toBe(
      'API key in ANTHROPIC_API_KEY, which overrides: subscription token in CLAUDE_CODE_OAUTH_TOKEN, login of claude (.credentials.json)',
    );
  });

  test('none: the command that helps', async () => {
    expect(await describeCredential(codex, { HOME: home() })).toBe(
      'none found: codex login (or set CODEX_API_KEY)',
    );
    expect(await describeCredential(claude, { HOME: home(), ANTHROPIC_API_KEY: '' })).toBe(
      'none found: start claude and log in (or set ANTHROPIC_API_KEY)',
    );
  });

  test('in the folder the agent itself would look in', async () => {
    const elsewhere = home('auth.json', '.credentials.json');
    const env = { HOME: home('.codex/auth.json'), CODEX_HOME: elsewhere, CLAUDE_CONFIG_DIR: elsewhere };
    expect(await describeCredential(codex, env)).toBe('login of codex (auth.json)');
    expect(await describeCredential(claude, env)).toBe('login of claude (.credentials.json)');
    expect(await describeCredential(codex, { ...env, CODEX_HOME: home() })).toMatch(/^none found/);
    expect(await describeCredential(codex, { ...env, CODEX_HOME: '' })).toBe('login of codex (auth.json)');
    const linked = join(home(), 'linked');
    symlinkSync(elsewhere, linked);
    expect(await describeCredential(codex, { CODEX_HOME: linked })).toBe('login of codex (auth.json)');
  });

  test('a key that is not the agent’s own is none', async () => {
    expect(await describeCredential(codex, { HOME: home(), ANTHROPIC_API_KEY: secret })).toMatch(/^none/);
  });

  test('agents of the user have none of ours', async () => {
    const { command, scripted } = executorTable('/x');
    expect(await describeCredential(command, { CODEX_API_KEY: secret })).toBeNull();
    expect(await describeCredential(scripted, {})).toBeNull();
  });
});

test.each(Object.values(executorTable('/x')))('$name: no secret is ever shown', async (spec) => {
  const files = spec.credentials.flatMap(({ file }) =>
    file === undefined ? [] : [join(file.homeFolder, file.name)],
  );
  const names = spec.credentials.flatMap(({ variable }) => variable ?? []);
  const env = { HOME: home(...files), ...Object.fromEntries(names.map((name) => [name, secret])) };
  const told = await describeCredential(spec, env);
  expect(told ?? '').not.toContain(secret);
  expect(told === null).toBe(spec.credentials.length === 0);
});

test('the executor tells it of the agent that is configured', async () => {
  const session = agentSession(sessionOptions(stage()));
  const told = async (name: 'codex' | 'claude' | 'command') =>
    session.describeCredential(configWith({ agent: { name } }));
  expect([await told('codex'), await told('claude'), await told('command')]).toEqual([
    'API key in CODEX_API_KEY',
    'API key in ANTHROPIC_API_KEY',
    null,
  ]);
});

test('of several keys the one of the provider of the model is named', async () => {
  const env = { HOME: home(), ANTHROPIC_API_KEY: secret, OPENAI_API_KEY: secret };
  for (const spec of [opencode, pi]) {
    expect(await describeCredential(spec, env, 'openai/gpt-5')).toBe('API key in OPENAI_API_KEY');
    expect(await describeCredential(spec, env, 'anthropic/opus')).toBe('API key in ANTHROPIC_API_KEY');
    expect(await describeCredential(spec, env, 'google/gemini')).toMatch(/^none found/);
  }
});
