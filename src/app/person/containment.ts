/**
 * Whether the queue is out of a session's reach (§12, §14): what agents and guards run in, by what the runner noted when the session
 * began, and between sessions by the settings that are committed. It never asks the files that a session can write.
 */
import { isWalledOff } from '../../core/sandbox/sandbox.ts';
import { configInForce } from '../../core/config/in-force.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import type { Config } from '../../core/types.ts';
import type { ConfigStore } from '../../ports/stores.ts';
import { requireRepository } from './commit.ts';
import type { PersonPorts } from './commit.ts';

/** Contract: reads only. A session that began, or was cut off, counts by what was noted of it, and without a note as one that can write. */
export async function isOutOfReach(
  ports: PersonPorts & { readonly configs: Pick<ConfigStore, 'parse'> },
): Promise<boolean> {
  const found = await requireRepository(ports).journal.recall();
  const isIdle = found.kind === 'none' || (found.kind === 'entry' && found.entry.kind === 'start');
  if (!isIdle) return found.anchor?.is_walled_off === true;
  const config = await loadCommittedConfig(ports);
  return config !== null && isWalledOff(config);
}

/** Null: the settings of the last commit are not valid, and no session begins with them. */
async function loadCommittedConfig(ports: Parameters<typeof isOutOfReach>[0]): Promise<Config | null> {
  const { git } = requireRepository(ports);
  const load = async (name: string): Promise<string> => {
    const source = await git.loadText({ commit: 'HEAD', path: `.runner/state/${name}` });
    return source.kind === 'text' ? source.text : '';
  };
  const state = parseRunState(await load('run_state.json'));
  try {
    const written = await ports.configs.parse(await load('config.toml'));
    return configInForce(written, state.ok ? state.state.resolved : null);
  } catch (error) {
    if (error instanceof RunnerError) return null;
    throw error;
  }
}
