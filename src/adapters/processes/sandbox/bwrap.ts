/** The program bubblewrap: where it is, and what helps when it is missing. */
import type { Config, Env } from '../../../core/types.ts';
import { findProgram } from '../program-path.ts';
import { withoutWorkTree } from '../search-path.ts';
import { missing } from './docker.ts';

export const installBwrap =
  'install bubblewrap 0.8 or newer (Debian, Ubuntu: apt install bubblewrap) and see: runner doctor --sandbox, or go without: runner config set sandbox.kind none';

/** Throws SANDBOX_MISSING. */
export async function requireBwrap(env: Env, top: string): Promise<string> {
  const program = await findProgram('bwrap', { cwd: '/', pathEnv: withoutWorkTree(env, top)['PATH'] });
  if (program === null) throw missing('the program bwrap was not found', installBwrap);
  return program;
}

/** The same settings with a sandbox that shows nothing of the user's own choice. */
export function plainSandbox(config: Config, read: readonly string[]): Config {
  const closed = { network: false, guard: true, guard_network: false, read, write: [] };
  return { ...config, sandbox: { ...config.sandbox, kind: 'bwrap', ...closed } };
}
