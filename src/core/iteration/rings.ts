/** Which rings around the judge are on (§14), for the header of a run, meta.json and the commit. Decides nothing else. */
import type { SandboxKind } from '../sandbox/sandbox.ts';
import type { Config } from '../types.ts';
import { checkoutInForce } from './checkout-plan.ts';

export interface Rings {
  /** What agent, reviewer and setup run in. */
  readonly sandbox: SandboxKind;
  /** Where the guard runs: in it without or with a network, or outside. */
  readonly guard: 'offline' | 'online' | 'outside';
  /** Git's settings and refs are put back after every session. */
  readonly settings: boolean;
  readonly checkout: 'off' | 'final' | 'every';
}

/** `config`: as it is in force. `auto` that is not decided yet holds nothing back, so it counts as off. */
export function ringsOf(input: Parameters<typeof checkoutInForce>[0]): Rings {
  return { ...sandboxOf(input.config), settings: true, checkout: checkoutInForce(input) ?? 'off' };
}

function sandboxOf({ sandbox: { kind, guard, guard_network } }: Config): Pick<Rings, 'sandbox' | 'guard'> {
  const sandbox = kind === 'auto' ? 'none' : kind;
  const inside = guard_network === false ? 'offline' : 'online';
  return { sandbox, guard: sandbox === 'none' || guard === false ? 'outside' : inside };
}

/** One line, the same in the header and in the trailer `Runner-Rings`. */
export function renderRings({ sandbox, guard, settings, checkout }: Rings): string {
  const where = sandbox === 'none' ? '' : ` guard=${guard}`;
  return `sandbox=${sandbox}${where} settings=${settings ? 'on' : 'off'} checkout=${checkout}`;
}

/** For people and scripts: what is set, and what it means for the run. */
export interface SandboxState {
  readonly setting: Config['sandbox']['kind'];
  /** These are null until a run starts. */
  readonly kind: SandboxKind | null;
  readonly guard: Rings['guard'] | null;
  readonly permissions: 'workspace' | 'full' | null;
}

/** `config`: as it is in force. `setting`: as it is written. */
export function describeSandbox(
  config: Config,
  { setting, isStarted }: { readonly setting: Config['sandbox']['kind']; readonly isStarted: boolean },
): SandboxState {
  if (!isStarted && setting === 'auto') return { setting, kind: null, guard: null, permissions: null };
  const { sandbox: kind, guard } = sandboxOf(config);
  return { setting, kind, guard, permissions: config.agent.permissions };
}

const namespaces = { none: '', bwrap: '+namespace', docker: '+container' } as const;

/** By what the processes of a session are found and ended (§14). */
export function renderProcesses({ sandbox }: Pick<Rings, 'sandbox'>): string {
  return `group+cookie${namespaces[sandbox]}`;
}
