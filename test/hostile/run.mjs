/** Bundles the attack suite for plain Node and runs it; arguments go to test/hostile/hostile-tool.ts. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.join(root, '.cache', 'hostile');
mkdirSync(folder, { recursive: true });
const outfile = path.join(folder, `tool-${process.pid}.mjs`);
await build({
  entryPoints: [fileURLToPath(new URL('hostile-tool.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});

/** Every state write is synced; a memory disk does without the waiting. */
function memoryDisk() {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return { TMPDIR: '/dev/shm' };
  } catch {
    return {};
  }
}

const env = { ...process.env, ...(process.env['TMPDIR'] ? {} : memoryDisk()), RUNNER_HOSTILE_ROOT: root };
process.exitCode =
  spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: 'inherit', env }).status ?? 1;
rmSync(outfile, { force: true });
