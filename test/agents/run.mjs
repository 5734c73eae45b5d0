/**
 * The tools of this folder from a shell: bundles one of them for plain Node and runs it.
 *
 *   node test/agents/run.mjs install [name...]          real CLIs into .cache/agents
 *   node test/agents/run.mjs record [name...] [case...]  records them
 *   node test/agents/run.mjs serve scenario.json [port]  the scripted model
 *   node test/agents/run.mjs offline COMMAND...          a command without network; outside names it looked up go to stderr
 *   node test/agents/run.mjs matrix [name...] [--flag]   the built runner through all of them; flags go to vitest
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const entries = {
  install: new URL('install-tool.ts', import.meta.url),
  record: new URL('record-tool.ts', import.meta.url),
  serve: new URL('serve-tool.ts', import.meta.url),
  offline: new URL('offline-tool.ts', import.meta.url),
  matrix: new URL('matrix-tool.ts', import.meta.url),
};

const [name = '', ...args] = process.argv.slice(2);
const entry = Object.entries(entries).find(([known]) => known === name)?.[1];
if (entry === undefined) {
  console.error(`usage: node test/agents/run.mjs ${Object.keys(entries).join('|')} ...`);
  process.exitCode = 2;
} else {
  const folder = path.join(root, '.cache', 'agents-tools');
  mkdirSync(folder, { recursive: true });
  const outfile = path.join(folder, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  process.exitCode = spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit' }).status ?? 1;
  rmSync(outfile, { force: true });
}
