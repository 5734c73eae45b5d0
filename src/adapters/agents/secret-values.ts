/** The secrets of this environment, in every form in which a program may print them, so that they can be redacted. */
import type { Env } from '../processes/session-env.ts';
import { allCredentialNames } from '../processes/credential-names.ts';

/** Variables with such a name are secret. */
const secretName = /(?:_|^)(?:API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)/i;
/** Names of places and switches among the credentials of agents. */
const plainName =
  /(?:URL|HOST|ENDPOINT|REGION|HOME|PATH|DIR|PROVIDER|PROFILE|PROJECT|LOCATION|OVERRIDE|USE_|MODEL|VERSION)/i;

export function secretValues(env: Env): readonly string[] {
  const names = Object.keys(env).filter(
    (name) => (allCredentialNames.has(name) && !plainName.test(name)) || secretName.test(name),
  );
  return names.flatMap((name) => formsOf(env[name] ?? ''));
}

/** Plain, in a JSON text, in an address, in base64 and in hexadecimal. */
function formsOf(value: string): readonly string[] {
  if (value.length < 6) return [];
  const bytes = Buffer.from(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
