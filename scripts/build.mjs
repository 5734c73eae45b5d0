// Builds dist/: one bundled ESM program with lazily loaded chunks and the licences of everything inside it. The package
// therefore has no runtime dependencies. It never leaves a half-written dist/: the result is staged and swapped in whole.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { renderLicences } from './licences.mjs';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');

// CommonJS packages inside an ES module still ask for these three (write-file-atomic: __filename, execa's tree: require).
const commonJsGlobals = `import { createRequire as __createRequire } from 'node:module';
import { fileURLToPath as __fileURLToPath } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __fileURLToPath(import.meta.url);
const __dirname = __fileURLToPath(new URL('.', import.meta.url));`;

function runGenerate() {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/generate.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('scripts/generate.mjs failed; its message is above');
}

/** Not minified: it would save a twelfth, and a stack trace a user sends can be read line by line as it is. */
async function runBundle(outdir) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minify: false,
    sourcemap: false,
    legalComments: 'none',
    charset: 'utf8',
    banner: { js: commonJsGlobals },
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

async function loadFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const bytes = await Promise.all(files.map((file) => readFile(file)));
  return new Map(files.map((file, index) => [path.relative(folder, file), bytes[index]]));
}

async function isSame(staged) {
  const current = await loadFiles(dist).catch(() => new Map());
  const wanted = await loadFiles(staged);
  if (current.size !== wanted.size) return false;
  return [...wanted].every(([name, bytes]) => current.get(name)?.equals(bytes) === true);
}

/**
 * An equal dist/ is left alone, so a build of unchanged sources never pulls it from under a running program. Otherwise
 * the old folder steps aside; when another build puts its own there first, the loop looks again.
 */
async function swapIn(staged) {
  for (let round = 0; round < 20; round += 1) {
    if (await isSame(staged)) return;
    await rename(dist, `${staged}-old-${round}`).catch(ignore('ENOENT'));
    const swapped = await rename(staged, dist).then(() => true, ignore('ENOTEMPTY', 'EEXIST', 'EPERM'));
    await rm(`${staged}-old-${round}`, { recursive: true, force: true });
    if (swapped) return;
  }
  throw new Error('dist/ keeps being replaced by other builds; run the build again when they are done');
}

function ignore(...codes) {
  return (error) => {
    if (!codes.includes(error.code)) throw error;
    return false;
  };
}

const startedMs = performance.now();
runGenerate();
// Staged in .cache: on the same disk as dist/, so the swap is a rename, and ignored by git if the build is killed.
const staged = path.join(root, '.cache', `build-${randomUUID()}`);
await mkdir(staged, { recursive: true });
try {
  const metafile = await runBundle(staged);
  await writeFile(path.join(staged, 'THIRD_PARTY_LICENSES.txt'), await renderLicences({ root, metafile }));
  await swapIn(staged);
  const outputs = Object.values(metafile.outputs);
  const kib = Math.round(outputs.reduce((sum, output) => sum + output.bytes, 0) / 1024);
  console.log(
    `build: dist ${kib} KiB in ${outputs.length} files, ${Math.round(performance.now() - startedMs)} ms`,
  );
} catch (error) {
  // A bundling error has been printed by esbuild itself, with the lines it is about.
  console.error('errors' in error ? 'build: failed, dist/ is as it was' : error);
  process.exitCode = 1;
} finally {
  await rm(staged, { recursive: true, force: true });
}
