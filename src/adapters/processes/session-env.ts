/**
 * Which environment variables an agent and a guard get. An agent gets a short list and its own credentials; a guard gets
 * the user's environment without any agent's credentials. Pure: the user's environment is passed in.
 */
import { allCredentialNames } from './credential-names.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What every program of a session gets. */
export interface SessionIdentity {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  /** Top of the work tree; commands that write refuse to run inside it while a session runs (§7). */
  readonly top: string;
}

export interface AgentEnvRequest {
  readonly user: Env;
  /** Null: no session, only a question to the program. */
  readonly place: SessionIdentity | null;
  /** Names that pass beyond the base list: the agent's credentials and `agent.env`. */
  readonly names: readonly string[];
  /** Set for the agent, whatever the user has. */
  readonly added: Readonly<Record<string, string>>;
}

/** Variables that every program of a session gets, and what each holds. */
export const sharedVariables = {
  RUNNER_RUN_ID: 'the run',
  RUNNER_ITER: 'number of the iteration',
  RUNNER_NODE_ID: 'the node',
  RUNNER_WORK_TREE: 'top of the git work tree',
} as const;

/** Variables that only an agent gets. */
export const agentVariables = {
  RUNNER_ROLE: 'agent, or review for a reviewer',
  RUNNER_OUTPUT: 'where the answer goes (agents command and scripted)',
  RUNNER_SCHEMA: 'file with the JSON Schema of the answer',
} as const;

/** What passes to every agent, where it is set; also every LC_* and XDG_*. */
export const baseNames: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'TMP',
  'TEMP',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
]);
const basePattern = /^(?:LC_|XDG_)/;

/** Set by programs that started us, for themselves: a guard must run as it does in a fresh shell. */
const noisePattern =
  /^(?:RUNNER_|JUST_|GIT_|npm_(?:lifecycle|package)_|npm_(?:command|execpath|node_execpath)$|npm_config_(?:local_prefix|global_prefix|prefix|user_agent|noproxy|node_gyp|init_module|globalconfig|userconfig)$|INIT_CWD$)/i;

export function agentEnv(request: AgentEnvRequest): Record<string, string> {
  const names = new Set(request.names);
  const kept = definedEntries(request.user).filter(
    ([name]) => baseNames.has(name) || basePattern.test(name) || names.has(name),
  );
  const place = request.place === null ? {} : placeVariables(request.place);
  return { ...Object.fromEntries(kept), ...request.added, ...place };
}

/** `agentNames`: what `agent.env` lets through to the agent; secrets among them are not the guard's. */
export function guardEnv(
  user: Env,
  { place, agentNames }: { readonly place: SessionIdentity; readonly agentNames: readonly string[] },
): Record<string, string> {
  const withheld = new Set(agentNames.filter((name) => secretPattern.test(name)));
  const kept = Object.entries(userEnv(user)).filter(([name]) => !withheld.has(name));
  return { ...Object.fromEntries(kept), ...placeVariables(place) };
}

const secretPattern = /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i;

/** The user's environment as a fresh shell would have it, without the credentials of any agent. */
export function userEnv(user: Env): Record<string, string> {
  const kept = definedEntries(user).filter(
    ([name]) => !noisePattern.test(name) && !allCredentialNames.has(name),
  );
  return Object.fromEntries(kept);
}

function placeVariables(place: SessionIdentity): Record<keyof typeof sharedVariables, string> {
  return {
    RUNNER_RUN_ID: place.run_id,
    RUNNER_ITER: String(place.iter),
    RUNNER_NODE_ID: place.node_id,
    RUNNER_WORK_TREE: place.top,
  };
}

function definedEntries(env: Env): readonly (readonly [string, string])[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}
