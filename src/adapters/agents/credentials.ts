/** Reports which login an agent will use before it runs, and warns if a key in the environment hides a subscription. */
import { readFileSync, statSync } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Env } from '../../core/types.ts';
import { noUserLogin } from './executors/spec.ts';
import type { CredentialSource, ExecutorSpec, HomeFile, UserLogin } from './executors/spec.ts';
import type { LoginFile } from '../processes/sandbox/logins.ts';

const settingsBytesMax = 1024 * 1024;

export interface Login {
  readonly env: Env;
  /** `agent.model`; null: the agent's default. */
  readonly model: string | null;
}

/** What a session would use, as people are told. */
export interface FoundLogin {
  /** Without any secret; null: none was found. */
  readonly used: string | null;
  /** The variable of the environment that holds it; null: something else does. */
  readonly variable: string | null;
  readonly hidden: readonly string[];
  /** What it lacks; null: nothing. */
  readonly missing: string | null;
  readonly fix: string;
}

/** Null: this agent has no login of its own. */
export async function findLogin(spec: ExecutorSpec, { env, model }: Login): Promise<FoundLogin | null> {
  if (spec.credentials.length === 0) return null;

  const login = loadUserLogin(spec, env);
  const { only, missing } = login;
  const fix = (missing === null ? null : login.fix) ?? spec.fixes.not_logged_in ?? 'log in';
  const file = spec.userSettings?.file.name ?? '';
  if (only !== null) return { used: `${only} (${file})`, variable: null, hidden: [], missing, fix };

  const [used, ...hidden] = await listCredentials(spec, { env, model, login });
  const held = used?.variable ?? null;
  const named = (source: CredentialSource): string => nameCredential(source, { login, file });
  return {
    used: used === undefined ? null : named(used),
    variable: held === null || login.env[held] !== undefined ? null : held,
    hidden: hidden.map(named),
    missing,
    fix,
  };
}

/** One line without any secret in it; null: this agent has no login of its own. */
export async function describeCredential(spec: ExecutorSpec, request: Login): Promise<string | null> {
  const found = await findLogin(spec, request);
  if (found === null) return null;

  const { used, hidden, missing, fix } = found;
  const lacks = missing === null ? '' : `${missing}: ${fix}`;
  if (used === null) return `none found: ${missing === null ? fix : lacks}`;

  const over = hidden.length === 0 ? '' : `, which overrides: ${hidden.join(', ')}`;
  return `${used}${over}${missing === null ? '' : `, but ${lacks}`}`;
}

function nameCredential(
  { variable, file, setting, means }: CredentialSource,
  own: { readonly login: UserLogin; readonly file: string },
): string {
  if (variable === null)
    return `${means} (${setting === undefined ? (file?.name ?? 'its own store') : own.file})`;

  return `${means} in ${variable}${own.login.env[variable] === undefined ? '' : ` (${own.file})`}`;
}

/** Existing ones that serve the model; the first is the one in use. */
async function listCredentials(
  spec: ExecutorSpec,
  { env, model, login }: Login & { readonly login: UserLogin },
): Promise<readonly CredentialSource[]> {
  const wanted = /^([^/]+)\//.exec(model ?? '')?.[1] ?? null;
  const serves = ({ provider }: CredentialSource): boolean =>
    wanted === null || provider === undefined || provider === wanted;
  const found: CredentialSource[] = [];
  for (const source of spec.credentials.filter(serves))
    if (await isThere(source, { ...env, ...login.env }, login)) found.push(source);

  return found;
}

async function isThere(source: CredentialSource, env: Env, login: UserLogin): Promise<boolean> {
  if (source.variable !== null) return (env[source.variable] ?? '') !== '';
  if (source.setting !== undefined) return login.settings.includes(source.setting);

  const path = loginPath(source, env);
  return path !== null && (await lstat(path).catch(() => null)) !== null;
}

/** Null: this login is no file. */
export function loginPath({ file }: Pick<CredentialSource, 'file'>, env: Env): string | null {
  return file === undefined ? null : homePath(file, env);
}

export function homePath(file: HomeFile, env: Env): string {
  // Agents, too, treat an empty variable as not set.
  const named = (file.homeVariable === null ? undefined : env[file.homeVariable]) ?? '';
  const home = env['HOME'] ?? '';
  const folder = named === '' ? join(home === '' ? homedir() : home, file.homeFolder) : named;
  return resolve(folder, file.name);
}

/** What the user's own settings of the agent say about its login. */
export function loadUserLogin({ userSettings }: ExecutorSpec, env: Env): UserLogin {
  if (userSettings === undefined) return noUserLogin;

  const path = homePath(userSettings.file, env);
  return userSettings.login({ text: loadOwnFile(path), path, env });
}

/** A file that a person keeps in the home folder, links to it included; null: there is none that can be read. */
export function loadOwnFile(path: string): string | null {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= settingsBytesMax ? readFileSync(path, 'utf8') : null;
  } catch {
    // Missing or unreadable.
    return null;
  }
}

/** Login files of this agent that are there. */
export async function listLogins(
  { credentials, sandboxFiles = [] }: ExecutorSpec,
  env: Env,
): Promise<readonly LoginFile[]> {
  const files = [...credentials.flatMap(({ file }) => file ?? []), ...sandboxFiles];
  const found: LoginFile[] = [];
  for (const file of files) {
    const path = homePath(file, env);
    if ((await stat(path).catch(() => null))?.isFile() === true)
      found.push({ path, isRenewed: file.isRenewed === true });
  }
  return found;
}
