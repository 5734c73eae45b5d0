/**
 * What holds for a session under the settings in force (§6): all that the contract of a prompt says beyond the fixed rules. It names no
 * path outside the project, no time of day and nothing of the machine. Every term has a neutral value: `task_sha256` is the hash of the
 * prompt with neutral terms, and a replay by another agent or on another machine compares that one.
 */
import { judgeVariable } from '../agents/environment-rules.ts';
import { isContained, isInside, networkOf } from '../sandbox/sandbox.ts';
import { agentTraits } from '../config/agents.ts';
import type { AnswerManner } from '../config/agents.ts';
import { renderArgv } from '../text/argv-text.ts';
import type { Config, RunState } from '../types.ts';

/** What a session cannot do, because its agent's permissions or a sandbox hold it back. */
export interface Reach {
  readonly network: boolean;
  /** It can write to the git folder. */
  readonly git: boolean;
  /** Where it can write, temporary folders apart. */
  readonly writes: 'anywhere' | 'work tree' | 'project folder';
  /** What needs a permission is granted. */
  readonly permissions: boolean;
}

export interface SessionTerms {
  readonly answer: AnswerManner;
  /** For the session and its guard together. */
  readonly seconds: number;
  readonly reach: Reach;
  readonly allowRemoval: boolean;
  readonly hasReviewer: boolean;
  readonly guard: {
    readonly command: string;
    readonly seconds: number | null;
    readonly network: boolean;
    /** Names of variables that only the guard gets, and that only the session gets. */
    readonly ownVariables: readonly string[];
    readonly sessionVariables: readonly string[];
    /** Where it must succeed besides the work tree (§14). */
    readonly checkout: 'off' | 'final' | 'every';
    readonly mustFailWithout: boolean;
    readonly policy: Config['guard']['policy'];
    /** Names or globs of its own files; empty: not known yet. */
    readonly files: readonly string[];
  };
}

/** What the settings alone do not say. */
export interface TermFacts {
  readonly reach: Reach;
  readonly checkout: SessionTerms['guard']['checkout'];
  readonly ratchet: RunState['ratchet'];
}

export function sessionTerms(config: Config, { reach, checkout, ratchet }: TermFacts): SessionTerms {
  const { agent, guard } = config;
  return {
    answer: agentTraits[agent.name].answers,
    seconds: config.iteration_timeout_secs,
    reach,
    allowRemoval: config.tree.allow_removal,
    hasReviewer: config.review.agent !== null,
    guard: {
      command: renderArgv(guard.command),
      seconds: guard.timeout_secs,
      network: !isInside(config, 'guard') || networkOf(config, 'guard'),
      ownVariables: apart(guard.env, agent.env),
      sessionVariables: apart(agent.env, guard.env),
      checkout,
      mustFailWithout: guard.counterfactual === 'require',
      policy: guard.policy,
      files: guard.protect ?? filesOf(ratchet),
    },
  };
}

/** Names that one gets and the other does not: those that nobody gets by itself, and only one of the lists has. */
function apart(names: readonly string[], others: readonly string[]): readonly string[] {
  const own = names.filter((name) => judgeVariable(name, noCredentials) !== null && !others.includes(name));
  return [...new Set(own)].toSorted();
}

/** The names of all agents' logins are the adapters' to know; patterns and words find nearly all of them. */
const noCredentials: ReadonlySet<string> = new Set();

function filesOf(ratchet: RunState['ratchet']): readonly string[] {
  const files = ratchet?.files.filter(({ oid }) => oid !== null) ?? [];
  return files.map(({ path, scripts }) =>
    scripts === null ? path : `${path} (scripts ${scripts.join(', ')})`,
  );
}

export const wholeReach: Reach = { network: true, git: true, writes: 'anywhere', permissions: true };

/** As the settings say it: a sandbox of ours, else the agent's own. */
export function reachOf({ agent, sandbox }: Config): Reach {
  if (isContained({ sandbox })) {
    const writes = sandbox.write.length === 0 ? 'work tree' : 'anywhere';
    return { network: sandbox.network, git: false, writes, permissions: true };
  }
  if (agentTraits[agent.name].enforcesWorkspace && agent.permissions !== 'full') {
    const network = hasNetworkFlag(agent.extra_args);
    return { network, git: false, writes: 'project folder', permissions: true };
  }
  return { ...wholeReach, permissions: agent.name !== 'claude' || agent.permission_mode === null };
}

/** The documented way to give codex's own sandbox the network. */
function hasNetworkFlag(extraArgs: readonly string[]): boolean {
  return extraArgs.includes('sandbox_workspace_write.network_access=true');
}

/**
 * The same whichever agent works and wherever: a prompt with these terms says only what the run itself says, so that a recording can be
 * compared with its replay.
 */
export function neutralTerms(terms: SessionTerms): SessionTerms {
  return {
    ...terms,
    answer: 'message',
    reach: wholeReach,
    guard: { ...terms.guard, network: true },
  };
}
