/** The checks of `runner doctor`: ok, warn or fail, one sentence, and the command that helps. Pure. */
import type { LeftOutKind } from '../agents/environment-rules.ts';
import { environmentRules } from '../agents/environment-rules.ts';
import { escapes } from '../sandbox/sandbox-battery.ts';
import type { EscapeResult } from '../sandbox/sandbox-battery.ts';
import { isNewerThanAll, isAtLeast } from '../text/version-order.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { Config } from '../types.ts';

export interface Check {
  readonly status: 'ok' | 'warn' | 'fail';
  readonly name: string;
  readonly message: string;
  /** Null when there is nothing to do. */
  readonly fix: string | null;
}

/** What is known of one agent program. */
export interface AgentFacts {
  readonly name: string;
  readonly role: 'agent' | 'reviewer' | 'other';
  /** Null: not found. */
  readonly program: string | null;
  readonly version: string | null;
  /** Versions it was proven with. */
  readonly proven: readonly string[];
  /** Why its sessions would fail on this machine; null: nothing is known. */
  readonly hazard: { readonly what: string; readonly fix: string } | null;
  readonly installHint: string;
  /** Null: this agent has no login of its own. */
  readonly login: {
    /** The one that is used, without any secret; null: none found. */
    readonly used: string | null;
    /** The variable that holds it; null: a file. */
    readonly variable: string | null;
    readonly hidden: readonly string[];
    /** What it lacks; null: nothing. */
    readonly missing: string | null;
    readonly fix: string;
  } | null;
}

export function countChecks(checks: readonly Check[]): Readonly<Record<Check['status'], number>> {
  const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
  return { ok: count('ok'), warn: count('warn'), fail: count('fail') };
}

const nodeVersionMin = '20.19';
/** The first that can sync everything it writes. */
const gitVersionMin = '2.36';

export function checkNode(version: string): Check {
  if (isAtLeast(version, nodeVersionMin)) return good('node', `Node ${version}`);
  return {
    status: 'fail',
    name: 'node',
    message: `Node ${version} is too old; ${nodeVersionMin} is needed`,
    fix: 'install a newer Node: https://nodejs.org',
  };
}

/** Null: git was not found. */
export function checkGit(version: string | null): Check {
  if (version === null) {
    return {
      status: 'fail',
      name: 'git',
      message: 'git is not installed or not on PATH',
      fix: 'install git',
    };
  }
  if (isAtLeast(version, gitVersionMin)) return good('git', version);
  return {
    status: 'warn',
    name: 'git',
    message: `${version} is old; with ${gitVersionMin} or newer every write is synced to disk`,
    fix: 'install a newer git',
  };
}

/** The configured agent must be there; other agents are listed only if found. */
export function checkAgents(agents: readonly AgentFacts[]): readonly Check[] {
  const told = agents.filter(({ role, program }) => role !== 'other' || program !== null);
  const missing = agents.filter((agent) => !told.includes(agent)).map(({ name }) => name);
  return [
    ...told.flatMap((agent) => [checkAgent(agent), ...checkHazard(agent)]),
    ...(missing.length === 0 ? [] : [checkMissing(agents, missing)]),
  ];
}

/** Before an agent is chosen any of them may be needed, and without one nothing will run. */
function checkMissing(agents: readonly AgentFacts[], missing: readonly string[]): Check {
  const isChosen = agents.some(({ role }) => role !== 'other');
  const message = `not installed${isChosen ? ' and not needed' : ''}: ${missing.join(', ')}`;
  const isBare = !isChosen && missing.length === agents.length;
  return { status: 'ok', name: 'agents', message, fix: isBare ? String(agents[0]?.installHint) : null };
}

/** Only of what will run. */
function checkHazard({ name, role, program, hazard }: AgentFacts): readonly Check[] {
  if (hazard === null || role === 'other' || program === null) return [];
  return [{ status: 'warn', name: `agent.${name}.sandbox`, message: hazard.what, fix: hazard.fix }];
}

function checkAgent(agent: AgentFacts): Check {
  const { role, program, login } = agent;
  const name = `agent.${agent.name}`;
  const use = role === 'other' ? 'not configured' : `the configured ${role}`;
  if (program === null)
    return { status: 'fail', name, message: `${use}, but its program was not found`, fix: agent.installHint };

  const found = `${use}, ${renderVersion(agent)}`;
  if (login === null) return good(name, found);
  if (login.used === null || login.missing !== null) {
    const what = login.used === null ? 'no login found' : `login: ${login.used}`;
    const message = `${found}, ${what}${login.missing === null ? '' : `, but ${login.missing}`}`;
    return role === 'other' ? good(name, message) : { status: 'warn', name, message, fix: login.fix };
  }
  const message = `${found}, login: ${login.used}`;
  if (login.hidden.length === 0) return good(name, message);
  const over = `${message}, which overrides: ${login.hidden.join(', ')}`;
  // The agent itself orders files; a variable is often set for something else.
  if (login.variable === null || role === 'other') return good(name, over);
  return { status: 'warn', name, message: over, fix: `to use the other one: unset ${login.variable}` };
}

function renderVersion({ version, proven }: AgentFacts): string {
  if (version === null) return 'version unknown';
  return isNewerThanAll(version, proven)
    ? `${version} (newer than the proven ${proven.join(', ')})`
    : version;
}

const gigabyte = 1024 ** 3;

/** Null: the system does not say. */
export function checkDisk(freeBytes: number | null, folder: string): Check {
  if (freeBytes === null) return good('disk', `free space unknown (${folder})`);
  const message = `${(freeBytes / gigabyte).toFixed(1)} GiB free (${folder})`;
  if (freeBytes >= gigabyte) return good('disk', message);
  return {
    status: freeBytes < gigabyte / 8 ? 'fail' : 'warn',
    name: 'disk',
    message,
    fix: `free some space: df -h`,
  };
}

export interface HookFacts {
  /** Hooks that git would run. */
  readonly active: readonly string[];
  /** Hooks that are not executable, which git passes over. */
  readonly dead: readonly string[];
}

export function checkHooks({ active, dead }: HookFacts, runHooks: boolean): Check {
  if (dead.length > 0) {
    const message = `not executable, so git passes over them: ${dead.join(', ')}`;
    return {
      status: 'warn',
      name: 'hooks',
      message,
      fix: 'chmod +x "$(git rev-parse --git-path hooks)"/<name>',
    };
  }
  if (active.length === 0) return good('hooks', 'no git hooks');
  const names = active.join(', ');
  if (runHooks) return good('hooks', `run on the runner's commits: ${names}`);
  return {
    status: 'ok',
    name: 'hooks',
    message: `do not run on the runner's commits (git.run_hooks = false): ${names}`,
    fix: 'to run them: runner config set git.run_hooks true',
  };
}

export interface LeftOut {
  readonly name: string;
  readonly kind: LeftOutKind;
}

/** A line for each kind; null config: no setting lets anything in yet. */
export function checkEnvironment(leftOut: readonly LeftOut[], config: Config | null): readonly Check[] {
  const agent = new Set(config?.agent.env);
  const guard = new Set(config?.guard.env);
  const missing = leftOut.filter(({ name }) => !agent.has(name) || !guard.has(name));
  if (missing.length === 0)
    return [good('environment', 'agent and guard get every variable of your environment')];
  return environmentRules.flatMap(({ kind, means }) => {
    const names = missing
      .filter((one) => one.kind === kind)
      .map(
        ({ name }) =>
          `${cleanLine(name)}${agent.has(name) ? ' (agent gets it)' : guard.has(name) ? ' (guard gets it)' : ''}`,
      );
    if (names.length === 0) return [];
    const message = `agent and guard do not get (${means}): ${names.join(', ')}`;
    const fix = 'to let one in: runner config set agent.env \'["NAME"]\'; for the guard: guard.env';
    return [{ status: 'ok', name: `environment.${kind}`, message, fix }];
  });
}

export function good(name: string, message: string): Check {
  return { status: 'ok', name, message, fix: null };
}

/** One line for each way out of the sandbox that was tried. */
export function checkEscapes(results: readonly EscapeResult[]): readonly Check[] {
  return results.map(({ name, outcome, detail }) => {
    const check = { name: `sandbox.${name}` };
    const what = escapes[name];
    if (outcome === 'held')
      return good(check.name, `held: ${what}${detail === '' ? '' : ` (${cleanLine(detail)})`}`);
    const fix = 'report it, and until then: runner config set sandbox.kind none, or a virtual machine';
    return outcome === 'escaped'
      ? { ...check, status: 'fail', message: `got out: ${what} (${cleanLine(detail)})`, fix }
      : { ...check, status: 'warn', message: `not tried: ${what} (${cleanLine(detail)})`, fix: null };
  });
}
