/** What a call of git needs to reach other repositories: which transports are open, and the user's own way to log in. Pure. */
import type { Env } from '../../../core/types.ts';

/** `file`: only a repository on this disk, as `git clone <path>` does. `any`: other machines, too. */
export type Transport = 'file' | 'any';

/** How git reaches other machines, and who says the password; see `git help git`. */
const names =
  /^(?:GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|HTTP_\w+|PROXY_\w+)|SSH_ASKPASS|CURL_\w+)$/;

/** As `-c` takes them; everything else stays off. */
export function transportSettings(transport: Transport | undefined): readonly string[] {
  const open = transport === 'any' ? ['file', 'git', 'http', 'https', 'ssh'] : [transport ?? []].flat();
  return open.map((name) => `protocol.${name}.allow=always`);
}

/** ssh must not ask in the terminal that shows the run: without a program that asks it fails instead. */
export function transportEnvironment(env: Env): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && names.test(name) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(given), SSH_ASKPASS_REQUIRE: 'force' };
}
