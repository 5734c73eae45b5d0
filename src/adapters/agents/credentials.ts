/** Reports which login an agent will use before it runs, and warns if a key in the environment hides a subscription. */
import { lstat, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CredentialSource, ExecutorSpec } from './executors/spec.ts';
import type { Env } from '../processes/session-env.ts';

export interface Login {
  readonly env: Env;
  /** `agent.model`; null: the agent's default. */
  readonly model: string | null;
}

/** One line without any secret in it; null: this agent has no login of its own. */
export async function describeCredential(spec: ExecutorSpec, { env, model }: Login): Promise<string | null> {
  if (spec.credentials.length === 0) return null;

  const [used, ...hidden] = await listCredentials(spec, { env, model });
  if (used === undefined) return `none found: ${spec.fixes.not_logged_in ?? 'log in'}`;

  const over = hidden.length === 0 ? '' : `, which overrides: ${hidden.map(nameCredential).join(', ')}`;
  return `${nameCredential(used)}${over}`;
}

/** Without any secret. */
export function nameCredential({ variable, file, means }: CredentialSource): string {
  return variable === null ? `${means} (${file?.name ?? 'its own store'})` : `${means} in ${variable}`;
}

/** Existing ones that serve the model; the first is the one in use. */
export async function listCredentials(
  spec: ExecutorSpec,
  { env, model }: Login,
): Promise<readonly CredentialSource[]> {
  const wanted = /^([^/]+)\//.exec(model ?? '')?.[1] ?? null;
  const serves = ({ provider }: CredentialSource): boolean =>
    wanted === null || provider === undefined || provider === wanted;
  const found: CredentialSource[] = [];
  for (const source of spec.credentials.filter(serves)) if (await isThere(source, env)) found.push(source);

  return found;
}

async function isThere(source: CredentialSource, env: Env): Promise<boolean> {
  if (source.variable !== null) return (env[source.variable] ?? '') !== '';

  const path = loginPath(source, env);
  return path !== null && (await lstat(path).catch(() => null)) !== null;
}

/** Null: this login is no file. */
export function loginPath({ file }: Pick<CredentialSource, 'file'>, env: Env): string | null {
  if (file === undefined) return null;

  // Agents, too, treat an empty variable as not set.
  const named = (file.homeVariable === null ? undefined : env[file.homeVariable]) ?? '';
  const folder = named === '' ? join(env['HOME'] ?? homedir(), file.homeFolder) : named;
  return join(folder, file.name);
}

/** Login files of this agent that are there. */
export async function listLogins(spec: ExecutorSpec, env: Env): Promise<readonly string[]> {
  const found: string[] = [];
  for (const source of spec.credentials) {
    const path = loginPath(source, env);
    if (path !== null && (await stat(path).catch(() => null))?.isFile() === true) found.push(path);
  }
  return [...new Set(found)];
}
