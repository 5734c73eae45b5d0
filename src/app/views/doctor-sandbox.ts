/** What `runner doctor` says of the sandbox: which kind it is, and with `--sandbox` which ways out of it held. Reads only. */
import { configInForce } from '../../core/config/in-force.ts';
import type { Config } from '../../core/types.ts';
import { checkEscapes, good } from '../../core/views/doctor.ts';
import type { Check } from '../../core/views/doctor.ts';
import type { Machine } from '../../ports/machine.ts';
import { attempt } from './doctor-repository.ts';
import type { CheckPorts } from './validate.ts';

type SandboxPorts = Pick<CheckPorts, 'configs' | 'runStates'> & { readonly machine: Machine };

/** `runner doctor --sandbox`: the battery alone, one line for each way out. */
export async function doctorSandbox({ machine }: Pick<SandboxPorts, 'machine'>): Promise<readonly Check[]> {
  return attempt('sandbox', async () => checkEscapes(await machine.tryEscapes()));
}

/** As it is in force for the run that is checked out, or would be for one that starts now. */
export async function loadConfig({ configs, runStates, machine }: SandboxPorts): Promise<Config | null> {
  try {
    const written = await configs.load();
    const { run_id, resolved } = await runStates.load();
    if (run_id !== null) return configInForce(written, resolved);
    const sandbox = await machine.resolveSandbox(written);
    return configInForce(written, { permissions: 'workspace', sandbox, guard: true, guard_network: true });
  } catch {
    return null;
  }
}

export async function checkSandbox(
  { machine }: Pick<SandboxPorts, 'machine'>,
  config: Config,
): Promise<readonly Check[]> {
  const { kind, image } = config.sandbox;
  return attempt('sandbox', async () => {
    await machine.checkSandbox(config);
    const messages = {
      none: 'none: agent and guard run with your rights',
      bwrap: 'bwrap: agents run in bubblewrap; runner doctor --sandbox tries it in every way',
      docker: `docker: agent and guard run in containers of the image ${image}`,
    };
    return [good('sandbox', messages[kind === 'auto' ? 'none' : kind])];
  });
}
