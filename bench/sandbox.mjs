// What the sandbox adds to the start of a program: `true` alone, and in bubblewrap with the arguments of a session.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { root } from './measure.mjs';

function medianOf(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function timed(program, args) {
  const startedMs = performance.now();
  const { status } = spawnSync(program, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return performance.now() - startedMs;
}

/** Null: there is no bubblewrap here. */
export async function measureSandbox({ repeats }) {
  if (spawnSync('bwrap', ['--version']).status !== 0) return null;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runner-bench-sandbox-'));
  const outfile = path.join(folder, 'bwrap.mjs');
  await build({
    entryPoints: [path.join(root, 'src/core/sandbox/bwrap.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const { bwrapArguments, planViews } = await import(outfile);
  const at = (name) => path.join(folder, name);
  for (const name of ['home', 'work', 'io', 'cache']) mkdirSync(at(name));
  writeFileSync(at('empty'), '');
  const views = planViews({
    ...{
      home: os.homedir(),
      ownerHome: null,
      top: at('work'),
      gitPaths: [],
      io: at('io'),
      cache: at('cache'),
    },
    replaced: [{ path: os.homedir(), source: at('home') }],
    ...{ read: [], write: [], masked: [], settings: at('settings'), hidden: [], sockets: [], path: [] },
    ...{ network: false, resolver: null },
    kindOf: (one) =>
      ['/tmp', '/run', '/var/tmp', '/proc/sys'].includes(one) || one.startsWith(folder) ? 'folder' : null,
  });
  const argv = bwrapArguments(
    { views, network: false, emptyFile: at('empty') },
    { argv: ['true'], cwd: at('work') },
  );
  const times = { plain: [], bwrap: [] };
  for (let turn = 0; turn < repeats; turn += 1) {
    times.plain.push(timed('true', []));
    times.bwrap.push(timed('bwrap', argv));
  }
  rmSync(folder, { recursive: true, force: true });
  return { plain_ms: medianOf(times.plain), bwrap_ms: medianOf(times.bwrap) };
}
