/**
 * Decides which HTTP requests the server of `runner ui` answers at all. The Host check keeps a foreign page from reading a
 * loopback port through a name of its own; the other headers are checked only if the browser sends them. The target is never
 * decoded.
 */

export interface RequestFacts {
  readonly method: string;
  /** Exactly as in the request line. */
  readonly target: string;
  /** Every Host header there is. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly fetchSites: readonly string[];
}

export type CheckedRequest =
  | { readonly ok: true; readonly path: string; readonly query: string }
  | { readonly ok: false; readonly status: 400 | 403 | 405; readonly code: string; readonly message: string };

const targetLengthMax = 2048;
const pathPattern = /^\/(?:[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)?$/;
const queryPattern = /^[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*$/;

const readingMethods: readonly string[] = ['GET', 'HEAD'];

/** `hasControl`: POST is let through, too; its address and body are checked where it is answered. */
export function checkRequest(
  facts: RequestFacts,
  allowed: ReadonlySet<string>,
  hasControl = false,
): CheckedRequest {
  const { method, target, hosts, origins, fetchSites } = facts;
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined || !allowed.has(host.toLowerCase()))
    return refuse(403, 'host_refused', 'this address is not one that the server was started for');

  if (fetchSites.some((site) => site !== 'same-origin' && site !== 'none'))
    return refuse(403, 'site_refused', 'requests from pages of other sites are not answered');

  if (origins.some((origin) => origin.toLowerCase() !== `http://${host.toLowerCase()}`))
    return refuse(403, 'origin_refused', 'requests from pages of other origins are not answered');

  if (!readingMethods.includes(method) && !(hasControl && method === 'POST'))
    return refuse(405, 'method_refused', 'the server only reads: GET and HEAD');

  if (target.length > targetLengthMax) return refuse(400, 'target_too_long', 'the address is too long');
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark + 1);
  if (!pathPattern.test(path) || !queryPattern.test(query))
    return refuse(400, 'target_refused', 'names here are plain: letters, digits, dot, dash and underscore');

  return { ok: true, path, query };
}

function refuse(status: 400 | 403 | 405, code: string, message: string): CheckedRequest {
  return { ok: false, status, code, message };
}

/** The Host headers that match the addresses, in lower case. Browsers omit the default port. */
export function listHosts(addresses: readonly string[], port: number): ReadonlySet<string> {
  const names = ['localhost', '127.0.0.1', '::1', ...addresses].map((name) => {
    const address = name.toLowerCase();
    return address.includes(':') ? `[${address}]` : address;
  });
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
}

/** Only the machine itself can reach it. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1)$/i.test(address);
}

/** Every interface of the machine. */
export function isWildcard(address: string): boolean {
  return /^(?:0\.0\.0\.0|[0:]*:[0:]*)$/.test(address);
}
