// Builds dist/: one bundled ESM program with lazily loaded chunks and the licences of everything inside it. The package
// therefore has no runtime dependencies. It never leaves a half-written dist/: the result is staged and swapped in whole.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { build, transform } from 'esbuild';
import { bundleWeb } from './build-web.mjs';
import { renderLicences } from './licences.mjs';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');

function runGenerate() {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/generate.mjs')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('scripts/generate.mjs failed; its message is above');
}

/**
 * In two passes, because esbuild splits ES modules only and Node starts CommonJS a quarter faster: chunks first, then each one
 * turned. Names stay, so a stack trace that a user sends can be read; space goes, because Node reads every byte at every start.
 */
async function runBundle(outdir) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
    sourcemap: false,
    legalComments: 'none',
    charset: 'utf8',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const files = new Map();
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      charset: 'utf8',
      minifyWhitespace: true,
      minifySyntax: true,
      // A chunk that is loaded later is required, not imported: that spares the second module loader.
      supported: { 'dynamic-import': false },
    });
    files.set(path.relative(outdir, file), code);
  }
  const quick = chunkOf(metafile, { source: 'quick', outdir });
  files.set(quick, loadQuick);
  const made = packQuick(files, { outdir, metafile, quick }).set('quick.js', await bundleQuick());
  made.set('quick.cache', compileQuick(made.get('quick.js')));
  for (const [name, code] of made) {
    const file = path.join(outdir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, code);
  }
  await writeFile(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  return metafile;
}

function chunkOf(metafile, { source, outdir }) {
  const found = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === `src/cli/${source}.ts`,
  );
  return path.relative(outdir, path.join(root, found[0]));
}

/** Files that the quick program loads later; whatever else it would load is for the whole program. */
const quickLater = new Set(['./blob-id.ts']);

const refuseLater = {
  name: 'refuse-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path: file }) =>
      kind === 'dynamic-import' && !quickLater.has(file) ? { path: file, namespace: 'later' } : null,
    );
    onLoad({ filter: /./, namespace: 'later' }, () => ({ contents: "throw new Error('not quick');" }));
  },
};

/**
 * `src/cli/quick.ts` in one piece, with copies of what it needs and short names: Node looks through every byte at every start, and no
 * error of this program is ever seen, because whatever is wrong is told by the whole program.
 */
async function bundleQuick() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/quick.ts'],
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    bundle: true,
    minify: true,
    legalComments: 'none',
    write: false,
    supported: { 'dynamic-import': false },
    plugins: [refuseLater],
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const quickHead = JSON.stringify('(function(module,exports,require){');
const quickTail = JSON.stringify('\n})');

/** The body of a function that `main.js` calls when it needs the quick program. */
const loadQuick = `"use strict";
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');
const read = (name, encoding) => readFileSync(__dirname + '/' + name, encoding);
let cachedData;
try {
  cachedData = read('quick.cache');
} catch {
  // Only slower without it.
}
const filename = __dirname + '/quick.js';
const script = new Script(${quickHead} + read('quick.js', 'utf8') + ${quickTail}, { filename, cachedData });
script.runInThisContext()(module, exports, require);
`;

/**
 * What V8 makes of the quick program, so that this Node need not compile it at every start. V8 itself refuses what another version
 * made and compiles as ever. Compiled without delay, and told apart only by flags that count when it is read: they are put back.
 */
function compileQuick(text) {
  setFlagsFromString('--no-lazy');
  const script = new Script(JSON.parse(quickHead) + text + JSON.parse(quickTail));
  setFlagsFromString('--lazy');
  return script.createCachedData();
}

/** Commands that editors, hooks and prompts call all the time, and the file that holds what they need. */
const packs = {
  'main.js': ['main'],
  'common.js': ['run', 'commands/select'],
};

/** Finds a chunk in one of the packs or, when it is not there, beside them. */
const packHead = `"use strict";
const loaded = new Map();
function packed(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  (pack[name] ?? require('./' + places[name])[name])(module, module.exports, load);
  return module.exports;
}
function load(id) {
  if (!id.startsWith('.')) return require(id);
  const name = id.slice(id.lastIndexOf('/') + 1);
  return name in pack || name in places ? packed(name) : require('./chunks/' + name);
}
module.exports = { main: () => packed('main.js').main(), packed };
`;

/**
 * The chunks of quick commands go into few files, each chunk as a function that runs when it is first asked for: one file is found
 * and read sooner than twenty. `main.js` alone answers `--version`. The other chunks find them through a file of their old name.
 * The brackets around a function tell V8 to compile it at once instead of looking through it first.
 */
function packQuick(files, { outdir, metafile, quick: alone }) {
  const nameOf = (file) => path.relative(outdir, path.join(root, file));
  const outputs = new Map(Object.entries(metafile.outputs).map(([file, output]) => [nameOf(file), output]));
  const made = new Map(files);
  const places = new Map([[alone, 'main.js']]);
  for (const [pack, sources] of Object.entries(packs)) {
    const entries = sources.map((name) => `src/cli/${name}.ts`);
    const quick = [...outputs].filter(([, { entryPoint }]) => entries.includes(entryPoint));
    const queue = new Set(quick.map(([name]) => name));
    for (const name of queue) {
      for (const { kind, path: file, external } of outputs.get(name).imports) {
        if (kind === 'import-statement' && external !== true) queue.add(nameOf(file));
      }
    }
    for (const name of queue) if (!places.has(name)) places.set(name, pack);
  }
  const modulesOf = (pack) =>
    [...places]
      .filter(([, place]) => place === pack)
      .map(
        ([name]) =>
          `${JSON.stringify(path.basename(name))}:(function(module,exports,require){${files.get(name)}})`,
      )
      .join(',\n');
  for (const name of places.keys()) {
    made.set(name, `module.exports=require('../main.js').packed(${JSON.stringify(path.basename(name))});\n`);
  }
  for (const pack of Object.keys(packs)) made.set(pack, `module.exports = {\n${modulesOf(pack)}\n};\n`);
  const elsewhere = [...places].filter(([, pack]) => pack !== 'main.js');
  const table = Object.fromEntries(elsewhere.map(([name, pack]) => [path.basename(name), pack]));
  return made.set(
    'main.js',
    `${packHead}const places = ${JSON.stringify(table)};\nconst pack = {\n${modulesOf('main.js')}\n};\n`,
  );
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
  // V8 writes the same program down in other bytes every time.
  const names = [...wanted.keys()].filter((name) => !name.endsWith('.cache') || !current.has(name));
  return names.every((name) => current.get(name)?.equals(wanted.get(name)) === true);
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
