/**
 * The login that a person keeps in codex's own config file (§14): another provider with its table, and where codex stores its keys.
 * Nothing else of that file is carried into a session: no hooks, no servers, no profiles. A secret in it goes into a variable, never
 * into an argument. Pure.
 */
import { awsNames } from '../../processes/credential-names.ts';
import { asRecord, asText } from './records.ts';
import type { JsonRecord } from './records.ts';
import { noUserLogin } from './spec.ts';
import type { UserLogin, UserLoginRequest } from './spec.ts';
import { parseTomlText } from '../../files/toml-text.ts';

/** Where keys are and where they are sent, beside the providers. */
const plainKeys = ['openai_base_url', 'chatgpt_base_url', 'cli_auth_credentials_store'] as const;

/** They need no table. */
const builtIn: ReadonlySet<string> = new Set(['amazon-bedrock', 'ollama', 'lmstudio', 'oss']);

const tokenVariable = 'RUNNER_CODEX_TOKEN';

export function codexLogin({ text, path, env }: UserLoginRequest): UserLogin {
  const parsed = parseTomlText(text ?? '');
  const config = parsed.ok ? asRecord(parsed.value) : null;
  if (config === null) {
    const missing = `${path} is not valid TOML, so no login of it is used`;
    return { ...noUserLogin, missing, fix: `correct ${path}` };
  }
  const plain = plainKeys.flatMap((key) => {
    const value = asText(config[key]);
    return value === '' ? [] : ['-c', `${key}=${JSON.stringify(value)}`];
  });
  const name = providerOf(config);
  const table = asRecord(asRecord(config['model_providers'])?.[name]);
  if (name === '' || (table === null && name === 'openai')) return { ...noUserLogin, args: plain };
  if (table === null && !builtIn.has(name)) {
    const missing = `model_provider of ${path} is "${name}", but there is no [model_providers.${name}]`;
    return { ...noUserLogin, args: plain, missing, fix: `add [model_providers.${name}] to ${path}` };
  }
  const provider = carryProvider({ name, table: table ?? {}, path }, env);
  return { ...provider, args: [...plain, ...provider.args] };
}

function providerOf(config: JsonRecord): string {
  const profile = asRecord(asRecord(config['profiles'])?.[asText(config['profile'])]);
  return asText(profile?.['model_provider']) || asText(config['model_provider']);
}

function carryProvider(
  { name, table, path }: { readonly name: string; readonly table: JsonRecord; readonly path: string },
  env: UserLoginRequest['env'],
): UserLogin {
  const { experimental_bearer_token, http_headers, env_http_headers, ...rest } = table;
  const token = asText(experimental_bearer_token);
  const headers = Object.entries(asRecord(http_headers) ?? {}).map(
    ([header, value], at) => [header, `RUNNER_CODEX_HEADER_${at + 1}`, asText(value)] as const,
  );
  const named = asRecord(env_http_headers) ?? {};
  const key = asText(rest['env_key']);
  const carried = {
    ...rest,
    ...(token === '' ? {} : { env_key: tokenVariable }),
    ...(headers.length + Object.keys(named).length === 0
      ? {}
      : { env_http_headers: { ...named, ...Object.fromEntries(headers) } }),
  };
  const needs = token === '' && key !== '' ? [key] : [];
  const unset = needs.find((one) => (env[one] ?? '') === '');
  const isOpenai = table['requires_openai_auth'] === true;
  const place = `[model_providers.${name}] of ${path}`;
  const how = token === '' && key !== '' ? `, key in ${key}` : '';
  return {
    ...noUserLogin,
    args: [
      ...['-c', `model_provider=${JSON.stringify(name)}`],
      ...(Object.keys(carried).length === 0
        ? []
        : ['-c', `model_providers=${renderInline({ [name]: carried })}`]),
    ],
    env: {
      ...(token === '' ? {} : { [tokenVariable]: token }),
      ...Object.fromEntries(headers.map(([, variable, value]) => [variable, value])),
    },
    names: [...needs, ...Object.values(named).map(asText), ...(name === 'amazon-bedrock' ? awsNames : [])],
    only: isOpenai ? null : `provider ${name}${how}`,
    missing: unset === undefined ? null : `${unset}, which env_key in ${place} names, is not set`,
    fix: isOpenai
      ? null
      : unset === undefined
        ? `check the login of ${place}`
        : `export ${unset}=<the key of ${name}>`,
  };
}

/** A TOML value on one line. */
function renderInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderInline).join(', ')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)} = ${renderInline(item)}`);
  return `{ ${items.join(', ')} }`;
}
