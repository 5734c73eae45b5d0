/** Resolves the settings that depend on the machine, before a run begins (§12, §13.8). Writes nothing. */
import {
  canKeep,
  configInForce,
  kindInForce,
  listGuardWays,
  outside,
  permissionsFor,
  selectWay,
} from '../../core/config/in-force.ts';
import type { GuardWay } from '../../core/config/in-force.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Config, ResolvedDefaults } from '../../core/types.ts';
import type { Ports } from '../../ports/ports.ts';
import { isInitialised } from '../init.ts';

/** Before anything is written: what a run cannot do without must be there. */
export async function checkDefaults(ports: Ports): Promise<void> {
  if (!(await isInitialised(ports.workspace))) return;
  const written = await ports.configs.load();
  const { config, ways } = await resolveDefaults(ports, written);
  await ports.sandbox.check(config);
  await ports.executor.checkInside(config);
  const [first = outside] = ways;
  // A guard that is missing is told after its run; one that is another program inside is not tried at all.
  await ports.guards
    .check({ ...config, sandbox: { ...config.sandbox, ...first } })
    .catch((error: unknown) => {
      if (!(error instanceof RunnerError) || error.code !== 'GUARD_MISSING') throw error;
    });
}

interface Resolved {
  readonly config: Config;
  readonly defaults: ResolvedDefaults;
  /** In which the guard may run. */
  readonly ways: readonly GuardWay[];
}

/** The settings as they are resolved on this machine (§12). */
export async function resolveDefaults(ports: Ports, written: Config): Promise<Resolved> {
  const kind = kindInForce(written, await ports.sandbox.resolve(written));
  if (!canKeep(written, kind)) {
    throw new RunnerError({
      code: 'SANDBOX_MISSING',
      message: `agent.permissions = "workspace" needs a sandbox: none works here, and '${written.agent.name}' has none of its own`,
      hint: 'runner doctor --sandbox, or give the agent your rights: runner config set agent.permissions full',
    });
  }
  const ways = listGuardWays(written, kind);
  const defaults = { permissions: permissionsFor(written, kind), sandbox: kind, ...selectWay(ways, []) };
  return { config: configInForce(written, defaults), defaults, ways };
}
