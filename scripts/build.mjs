// Builds dist/: one bundled program with lazily loaded chunks, the pages and the licences of everything inside it. The package
// therefore has no runtime dependencies. It never leaves a half-written dist/: the result is staged and swapped in whole.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { build, transform } from 'esbuild';
import { bundleWeb } from './build-web.mjs';
import { renderLicences } from './licences.mjs';

const root = path.dirname(import.meta.dirname);
/** `npm run build:test`: the same program with the switches of src/adapters/files/test-switch.ts, beside the product. */
const isTestBuild = process.env.RUNNER_TEST_BUILD === '1';
const home = isTestBuild ? path.join(root, '.cache', 'test-dist') : root;
const dist = path.join(home, 'dist');
/** Names stay, so that a stack trace in a report can be read. */
const common = {
  platform: 'node',
  target: 'node20.19',
  charset: 'utf8',
  minifySyntax: true,
  minifyWhitespace: true,
};

function runGenerate() {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/generate.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('scripts/generate.mjs failed; its message is above');
}

/**
 * A chunk per command, so that a command loads only what it uses. esbuild splits ES modules only and Node starts CommonJS sooner, so
 * each chunk is turned into CommonJS afterwards.
 */
async function runBundle(outdir) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir,
    define: { __RUNNER_TEST_BUILD__: String(isTestBuild) },
    ...common,
    format: 'esm',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  await mkdir(path.join(outdir, 'chunks'));
  await writeFile(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, {
      ...common,
      format: 'cjs',
      // A later chunk is required, not imported: that spares Node's second module loader.
      supported: { 'dynamic-import': false },
    });
    await writeFile(file, code);
  }
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
  const program = await runBundle(staged);
  const pages = await bundleWeb({ root, outdir: path.join(staged, 'web') });
  const metafile = { outputs: { ...program.outputs, ...pages.outputs } };
  await writeFile(path.join(staged, 'THIRD_PARTY_LICENSES.txt'), await renderLicences({ root, metafile }));
  if (isTestBuild) await cp(path.join(root, 'bin'), path.join(home, 'bin'), { recursive: true });
  await swapIn(staged);
  const outputs = Object.values(metafile.outputs);
  const kib = Math.round(outputs.reduce((sum, output) => sum + output.bytes, 0) / 1024);
  console.log(
    `build: ${path.relative(root, dist)} ${kib} KiB in ${outputs.length} files, ${Math.round(performance.now() - startedMs)} ms`,
  );
} catch (error) {
  // A bundling error has been printed by esbuild itself, with the lines it is about.
  console.error('errors' in error ? 'build: failed, dist/ is as it was' : error);
  process.exitCode = 1;
} finally {
  await rm(staged, { recursive: true, force: true });
}
