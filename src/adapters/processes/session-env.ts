/**
 * The environment of agents and guards (§14): the user's, without what `environment-rules.ts` leaves out; an agent gets its own
 * login back. Pure: the user's environment is passed in.
 */
import { judgeVariable } from '../../core/agents/environment-rules.ts';
import type { LeftOutKind } from '../../core/agents/environment-rules.ts';
import type { Env } from '../../core/types.ts';
import { allCredentialNames } from './credential-names.ts';

/** What every program of a session gets. */
export interface SessionIdentity {
  readonly run_id: string;
  readonly iter: number;
  readonly node_id: string;
  /** Top of the work tree; commands that write refuse to run inside it while a session runs (§7). */
  readonly top: string;
  /** Name of the repository; they refuse in its other work trees, too. */
  readonly repository: string;
}

export interface AgentEnvRequest {
  readonly user: Env;
  /** Null: no session, only a question to the program. */
  readonly place: SessionIdentity | null;
  /** Names that pass although they are left out elsewhere: the agent's credentials and `agent.env`. */
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
  RUNNER_REPOSITORY: 'name of the repository that all its work trees share',
} as const;

/** Variables that only an agent gets. */
export const agentVariables = {
  RUNNER_ROLE: 'agent, or review for a reviewer',
  RUNNER_OUTPUT: 'where the answer goes (agents command and scripted)',
  RUNNER_SCHEMA: 'file with the JSON Schema of the answer',
  RUNNER_MODEL: 'model that is asked for, where one is (agent command)',
  RUNNER_EFFORT: 'effort that is asked for, where one is (agent command)',
} as const;

export function agentEnv(request: AgentEnvRequest): Record<string, string> {
  const place = request.place === null ? {} : placeVariables(request.place);
  return { ...passedOn(request.user, request.names), ...request.added, ...place };
}

/** `names`: what `guard.env` lets in. */
export function guardEnv(
  user: Env,
  { place, names }: { readonly place: SessionIdentity; readonly names: readonly string[] },
): Record<string, string> {
  return { ...passedOn(user, names), ...placeVariables(place) };
}

function passedOn(user: Env, names: readonly string[]): Record<string, string> {
  const wanted = new Set(names);
  const kept = definedEntries(user).filter(([name]) => wanted.has(name) || kindOf(name) === null);
  return Object.fromEntries(kept);
}

/** For the user's own programs (hooks, notify.command): as a fresh shell would have it, without the credentials of any agent. */
export function userEnv(user: Env): Record<string, string> {
  const kept = definedEntries(user).filter(
    ([name]) => kindOf(name) !== 'launcher' && !allCredentialNames.has(name),
  );
  return Object.fromEntries(kept);
}

/** Names that neither agent nor guard gets by itself, sorted; the runner's own are not worth a word. */
export function listLeftOut(user: Env): readonly { readonly name: string; readonly kind: LeftOutKind }[] {
  return definedEntries(user)
    .flatMap(([name]) => {
      const kind = name.startsWith('RUNNER_') ? null : kindOf(name);
      return kind === null ? [] : [{ name, kind }];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(name: string): LeftOutKind | null {
  return judgeVariable(name, allCredentialNames);
}

function placeVariables(place: SessionIdentity): Record<keyof typeof sharedVariables, string> {
  return {
    RUNNER_RUN_ID: place.run_id,
    RUNNER_ITER: String(place.iter),
    RUNNER_NODE_ID: place.node_id,
    RUNNER_WORK_TREE: place.top,
    RUNNER_REPOSITORY: place.repository,
  };
}

function definedEntries(env: Env): readonly (readonly [string, string])[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}
