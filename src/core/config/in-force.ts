/**
 * How settings that depend on the machine are resolved (§12, §13.8): the settings of a run with nothing left open, and the ways a guard may
 * run, from the safest on. It asks nothing of the machine.
 */
import { agentTraits } from './agents.ts';
import type { Config, ResolvedDefaults } from '../types.ts';

/** A run of an older version has nothing resolved, and no sandbox but one that its settings name. */
export function configInForce(config: Config, resolved: ResolvedDefaults | null): Config {
  const { agent, sandbox } = config;
  const kind = kindInForce(config, resolved?.sandbox ?? 'none');
  const way = sandbox.kind === 'auto' ? resolved : null;
  return {
    ...config,
    agent: { ...agent, permissions: agent.permissions ?? permissionsFor(config, kind) },
    sandbox: {
      ...sandbox,
      kind,
      guard: sandbox.guard ?? way?.guard ?? sandbox.kind !== 'auto',
      guard_network: sandbox.guard_network ?? resolved?.guard_network ?? true,
    },
  };
}

/** What a person should know of a run that has begun; null: it is recorded what it found on its machine. */
export function renderUnresolved(written: Config, resolved: ResolvedDefaults | null): string | null {
  if (resolved !== null || written.sandbox.kind !== 'auto' || written.agent.permissions === 'full')
    return null;
  return 'the run does not record which sandbox it has, so it works without one; to use one: runner config set sandbox.kind bwrap';
}

/** `found`: what "auto" resolves to here. Full permissions mean that nothing holds the agent back. */
export function kindInForce(
  { agent, sandbox }: Pick<Config, 'agent' | 'sandbox'>,
  found: ResolvedDefaults['sandbox'],
): ResolvedDefaults['sandbox'] {
  if (sandbox.kind !== 'auto') return sandbox.kind;
  return agent.permissions === 'full' ? 'none' : found;
}

export function permissionsFor(
  { agent }: Pick<Config, 'agent'>,
  kind: ResolvedDefaults['sandbox'],
): ResolvedDefaults['permissions'] {
  return (
    agent.permissions ?? (kind !== 'none' || agentTraits[agent.name].enforcesWorkspace ? 'workspace' : 'full')
  );
}

/** Whether the permissions that the settings name hold with this sandbox. */
export function canKeep({ agent }: Pick<Config, 'agent'>, kind: ResolvedDefaults['sandbox']): boolean {
  return agent.permissions !== 'workspace' || kind !== 'none' || agentTraits[agent.name].enforcesWorkspace;
}

/** How a guard may run. */
export type GuardWay = Pick<ResolvedDefaults, 'guard' | 'guard_network'>;

export const outside: GuardWay = { guard: false, guard_network: true };

/** From the safest on; the last one is taken when none is known to be green. `kind`: as it is in force. */
export function listGuardWays({ sandbox }: Config, kind: ResolvedDefaults['sandbox']): readonly GuardWay[] {
  if (kind === 'none' || sandbox.guard === false) return [outside];
  const networks = sandbox.guard_network === null ? [false, true] : [sandbox.guard_network];
  const inside = networks.map((guard_network) => ({ guard: true, guard_network }));
  // Who names a sandbox wants the guard in it.
  return sandbox.guard === null && sandbox.kind === 'auto' ? [...inside, outside] : inside;
}

export interface TriedWay {
  readonly way: GuardWay;
  readonly isGreen: boolean;
}

/** The way to try next; null: enough is known. The safest first, then the last: if that is red, too, it is not the sandbox. */
export function selectNextWay(ways: readonly GuardWay[], tried: readonly TriedWay[]): GuardWay | null {
  const [first, last] = [ways.at(0), ways.at(-1)];
  const order = [...new Set([first, last, ...ways])];
  const latest = tried.at(-1);
  if (latest?.isGreen === true && latest.way !== last) return null;
  if (latest?.isGreen === false && latest.way === last) return null;
  return order[tried.length] ?? null;
}

/** The safest that is green. */
export function selectWay(ways: readonly GuardWay[], tried: readonly TriedWay[]): GuardWay {
  const green = new Set(tried.filter(({ isGreen }) => isGreen).map(({ way }) => way));
  return ways.find((way) => green.has(way)) ?? ways.at(-1) ?? outside;
}

/** Without `result` it has not been tried. */
export function renderWay(way: GuardWay): string {
  if (!way.guard) return 'outside the sandbox';
  return way.guard_network ? 'in the sandbox with a network' : 'in the sandbox without a network';
}

/** What a person should know of the choice; null: it is the safest one. */
export function renderWayWarning(ways: readonly GuardWay[], tried: readonly TriedWay[]): string | null {
  const way = selectWay(ways, tried);
  if (way === ways[0]) return null;
  const isGreen = tried.some((one) => one.isGreen);
  const why = isGreen ? 'it is red otherwise' : 'it was never seen green';
  const help = way.guard
    ? 'to do without: runner config set sandbox.guard_network false'
    : 'to keep it inside: runner config set sandbox.guard true (sandbox.read and sandbox.write open what it needs)';
  return `the guard runs ${renderWay(way)}, because ${why}; ${help}`;
}
