import { describe, expect, test } from 'vitest';
import { codexLogin } from '../../../../src/adapters/agents/executors/codex-login.ts';
import { parseTomlText } from '../../../../src/adapters/files/toml-text.ts';

const path = '/h/.codex/config.toml';
const login = (text: string | null, env: Record<string, string> = {}) => codexLogin({ text, path, env });

/** As codex reads its `-c key=value` arguments. */
function settingsOf(args: readonly string[]): Record<string, unknown> {
  return Object.assign(
    {},
    ...args
      .filter((word) => word !== '-c')
      .map((line) => {
        const parsed = parseTomlText(line);
        expect(parsed.ok, line).toBe(true);
        return parsed.ok ? parsed.value : {};
      }),
  ) as Record<string, unknown>;
}

const acme = `model = "gpt-x"
model_provider = "acme"
[mcp_servers.evil]
command = "evil"
[hooks]
Stop = []
[model_providers.acme]
name = "Acme"
base_url = "https://gw.test/v1"
wire_api = "responses"
`;

describe('the login in codex’s config (§14)', () => {
  test('without a file, and without a login in it, nothing is carried', () => {
    const nothing = { args: [], env: {}, names: [], settings: [], only: null, missing: null, fix: null };
    expect(login(null)).toEqual(nothing);
    expect(login('model = "m"\nmodel_provider = "openai"\n[mcp_servers.x]\ncommand = "c"\n')).toEqual(
      nothing,
    );
  });

  test('the provider and its table, with the variable it names; no hook and no server with them', () => {
    const made = login(`${acme}env_key = "ACME_KEY"\n[model_providers.other]\nname = "o"\n`, {
      ACME_KEY: 'k-secret',
    });
    expect(settingsOf(made.args)).toEqual({
      model_provider: 'acme',
      model_providers: {
        acme: {
          name: 'Acme',
          base_url: 'https://gw.test/v1',
          wire_api: 'responses',
          env_key: 'ACME_KEY',
        },
      },
    });
    expect(made).toMatchObject({
      names: ['ACME_KEY'],
      only: 'provider acme, key in ACME_KEY',
      missing: null,
      fix: `check the login of [model_providers.acme] of ${path}`,
    });
  });

  test('a key that is not set is named, not a login', () => {
    expect(login(`${acme}env_key = "ACME_KEY"\n`)).toMatchObject({
      missing: `ACME_KEY, which env_key in [model_providers.acme] of ${path} names, is not set`,
      fix: 'export ACME_KEY=<the key of acme>',
    });
  });

  test('secrets of the file go into variables, never into arguments', () => {
    const made = login(
      `${acme}experimental_bearer_token = "hush-1"\nhttp_headers = { "x-key" = "hush-2" }\nenv_http_headers = { "x-team" = "TEAM" }\nrequest_max_retries = 2\n`,
    );
    expect(JSON.stringify(made.args)).not.toContain('hush');
    expect(made.env).toEqual({ RUNNER_CODEX_TOKEN: 'hush-1', RUNNER_CODEX_HEADER_1: 'hush-2' });
    expect(made.names).toEqual(['TEAM']);
    expect(settingsOf(made.args)['model_providers']).toMatchObject({
      acme: {
        env_key: 'RUNNER_CODEX_TOKEN',
        env_http_headers: { 'x-team': 'TEAM', 'x-key': 'RUNNER_CODEX_HEADER_1' },
        request_max_retries: 2,
      },
    });
  });

  test('a provider that uses the login of OpenAI, one that needs no table, one of a profile', () => {
    expect(login(`${acme}requires_openai_auth = true\n`)).toMatchObject({ only: null, fix: null });
    const bedrock = login('model_provider = "amazon-bedrock"\n');
    expect(settingsOf(bedrock.args)).toEqual({ model_provider: 'amazon-bedrock' });
    expect(bedrock).toMatchObject({ only: 'provider amazon-bedrock', missing: null });
    expect(bedrock.names).toContain('AWS_SECRET_ACCESS_KEY');
    const profile = login('profile = "work"\n[profiles.work]\nmodel_provider = "ollama"\n');
    expect(profile.only).toBe('provider ollama');
  });

  test('where keys are kept and sent', () => {
    const made = login('cli_auth_credentials_store = "keyring"\nopenai_base_url = "https://gw.test/v1"\n');
    expect(settingsOf(made.args)).toEqual({
      cli_auth_credentials_store: 'keyring',
      openai_base_url: 'https://gw.test/v1',
    });
  });

  test('a provider without its table, and a file that cannot be read, are told', () => {
    expect(login('model_provider = "gone"\n')).toMatchObject({
      missing: `model_provider of ${path} is "gone", but there is no [model_providers.gone]`,
      fix: `add [model_providers.gone] to ${path}`,
    });
    expect(login('model_provider = ')).toMatchObject({
      args: [],
      missing: `${path} is not valid TOML, so no login of it is used`,
    });
  });
});
