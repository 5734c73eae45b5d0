/**
 * Codex without its sandbox helper: it makes one in its own home, but never below the folder for temporary files, and then every
 * command fails. Looks at paths only.
 */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isContained } from '../../../core/sandbox/sandbox.ts';
import { homePath } from '../credentials.ts';
import type { ExecutorSpec } from './spec.ts';

type Hazard = NonNullable<ExecutorSpec['hazard']>;

const fix = 'set CODEX_HOME or TMPDIR to another folder, neither below the other';

/** Told for the whole session; each command fails the same way. */
export const helperMissing = `every command: codex has no sandbox helper here; ${fix}`;

export function isHelperMissing(output: string): boolean {
  return /execvp codex-linux-sandbox: No such file|codex-linux-sandbox (?:executable not found|was required but not provided)/.test(
    output,
  );
}

export const codexHazard: Hazard = ({ config, env }) => {
  const isConfined = config.agent.permissions !== 'full' && !isContained(config);
  if (process.platform !== 'linux' || !isConfined) return null;

  const home = dirname(
    homePath({ homeVariable: 'CODEX_HOME', homeFolder: '.codex', name: 'auth.json' }, env),
  );
  const temporary = env['TMPDIR'] ?? '/tmp';
  if (!`${realPath(home)}/`.startsWith(`${realPath(temporary)}/`)) return null;

  const what = `every command of it would fail: codex makes no sandbox helper below the folder for temporary files (${home} is below ${temporary})`;
  return { what, fix };
};

/** Of the part that is there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : `${realPath(above)}${path.slice(above.length)}`;
  }
}
