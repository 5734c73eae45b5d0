/**
 * The login that a person keeps in claude's own settings file (§14): a helper that prints the key, and variables of a gateway, of
 * Bedrock, Vertex or Foundry. Nothing else of that file is carried into a session: no hooks, no servers, no permissions. Pure.
 */
import type { Env } from '../../../core/types.ts';
import { awsNames } from '../../processes/credential-names.ts';
import { asRecord, asText, parseRecord } from './records.ts';
import type { JsonRecord } from './records.ts';
import { noUserLogin } from './spec.ts';
import type { UserLogin, UserLoginRequest } from './spec.ts';

/** Commands that fetch or renew a key. */
const helpers = ['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh'] as const;

/** Variables of its `env` that a login needs; the others would make the agent's environment differ from the guard's. */
const loginVariable =
  /^(?:ANTHROPIC_\w+|AWS_\w+|CLAUDE_CODE_(?:USE|SKIP)_\w+|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_API_KEY_HELPER_TTL_MS|CLAUDE_CODE_CLIENT_\w+|CLOUD_ML_REGION|VERTEX_REGION_\w+|(?:GOOGLE|GCLOUD|AZURE)_\w+|HTTPS?_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS)$/i;

/** Where another service gives the models, its own variables are claude's login. */
const services = [
  { switch: 'CLAUDE_CODE_USE_BEDROCK', names: awsNames },
  { switch: 'CLAUDE_CODE_USE_VERTEX', names: ['GOOGLE_APPLICATION_CREDENTIALS'] },
  {
    switch: 'CLAUDE_CODE_USE_FOUNDRY',
    names: ['AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET', 'AZURE_TENANT_ID'],
  },
] as const;

export function claudeLogin({ text, path, env }: UserLoginRequest): UserLogin {
  const settings = text === null ? {} : parseRecord(text.trim());
  if (settings === null) {
    const missing = `${path} is not a JSON object, so no login of it is used`;
    return { ...noUserLogin, names: serviceNames(env), missing, fix: `correct ${path}` };
  }
  const carried = helpers.flatMap((name) => (asText(settings[name]) === '' ? [] : [[name, settings[name]]]));
  const own = loginVariables(settings);
  return {
    ...noUserLogin,
    args: carried.length === 0 ? [] : ['--settings', JSON.stringify(Object.fromEntries(carried))],
    env: own,
    names: serviceNames({ ...env, ...own }),
    settings: carried.map(([name]) => String(name)),
    fix: fixOf(own, { helper: asText(settings['apiKeyHelper']), path }),
  };
}

function loginVariables(settings: JsonRecord): Readonly<Record<string, string>> {
  const env = Object.entries(asRecord(settings['env']) ?? {});
  return Object.fromEntries(
    env.flatMap(([name, value]) =>
      loginVariable.test(name) && typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );
}

function serviceNames(env: Env): readonly string[] {
  return services.flatMap((service) => (isOn(env[service.switch]) ? service.names : []));
}

/** As claude reads its switches. */
function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value ?? '');
}

/** A login that comes from this file is corrected in this file. */
function fixOf(
  own: Readonly<Record<string, string>>,
  { helper, path }: { readonly helper: string; readonly path: string },
): string | null {
  const service = services.find((one) => isOn(own[one.switch]));
  if (service !== undefined) return `check the variables beside ${service.switch} in "env" of ${path}`;
  const name = ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'].find(
    (one) => own[one] !== undefined,
  );
  if (name !== undefined) return `check ${name} in "env" of ${path}`;
  return helper === '' ? null : `check "apiKeyHelper" in ${path}: it must print a valid key`;
}
