// Builds one executable file that needs no Node: the program bundled as CommonJS, put into a copy of the Node that runs this
// script (Node's single-executable feature). The file appears whole or not at all, with the licences beside it.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { inject } from 'postject';
import { renderLicences } from './licences.mjs';

const root = path.dirname(import.meta.dirname);
const isMac = process.platform === 'darwin';
const usual = path.join(root, '.cache', 'binary', process.platform === 'win32' ? 'runner.exe' : 'runner');
const target = path.resolve(process.argv[2] ?? usual);

/** The place in Node's program that tells it to look for a program inside itself; the same in all versions. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

async function runBundle(outfile) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/binary.ts'],
    outfile,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    bundle: true,
    define: { __RUNNER_TEST_BUILD__: 'false' },
    // A program inside an executable file can require modules of Node, not import them later.
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** What a tool prints is told only when it fails. */
function runTool(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The built pages, and a list of their names: whoever runs the file has no folder to look into. */
async function listAssets(folder) {
  const web = path.join(root, 'dist', 'web');
  const entries = await readdir(web, { withFileTypes: true }).catch(() => []);
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const list = path.join(folder, 'files.json');
  await writeFile(list, JSON.stringify(names));
  return Object.fromEntries([
    ['web/files.json', list],
    ...names.map((name) => [`web/${name}`, path.join(web, name)]),
  ]);
}

/** The code cache spares the compiler's work at every start. */
async function makeBlob(folder, main) {
  const blob = path.join(folder, 'runner.blob');
  const config = {
    main,
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: await listAssets(folder),
  };
  await writeFile(path.join(folder, 'sea.json'), JSON.stringify(config));
  runTool(process.execPath, ['--experimental-sea-config', path.join(folder, 'sea.json')]);
  return readFile(blob);
}

/** The tool's remarks about odd but harmless section names of some builds of Node say nothing to a person. */
async function injectQuietly(program, blob) {
  const { log, warn } = console;
  console.log = () => {};
  console.warn = () => {};
  try {
    await inject(program, 'NODE_SEA_BLOB', blob, { sentinelFuse: fuse, machoSegmentName: 'NODE_SEA' });
  } finally {
    Object.assign(console, { log, warn });
  }
}

const startedMs = performance.now();
runTool(process.execPath, [path.join(root, 'scripts/generate.mjs')]);
const staged = path.join(path.dirname(target), `.runner-binary-${randomUUID()}`);
await mkdir(staged, { recursive: true });
try {
  const main = path.join(staged, 'main.cjs');
  const metafile = await runBundle(main);
  const blob = await makeBlob(staged, main);
  const program = path.join(staged, 'runner');
  await copyFile(process.execPath, program);
  await chmod(program, 0o755);
  // A signature that no longer fits is worse than none.
  if (isMac) runTool('codesign', ['--remove-signature', program]);
  await injectQuietly(program, blob);
  if (isMac) runTool('codesign', ['--sign', '-', program]);
  const licences = await renderLicences({ root, metafile });
  const node = `Node.js ${process.versions.node}`;
  await writeFile(
    `${target}.licences.txt`,
    `${node} is inside this file, under the licences in LICENSE of that release.\n\n${licences}`,
  );
  await rename(program, target);
  const kib = Math.round(blob.length / 1024);
  console.log(
    `build: ${target}, ${node} and ${kib} KiB of program, ${Math.round(performance.now() - startedMs)} ms`,
  );
} finally {
  await rm(staged, { recursive: true, force: true });
}
