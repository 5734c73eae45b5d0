// How work grows with the tree, 100 to 100,000 nodes: commands by the clock, the tree part of `step` in a process of its own, and the
// memory of each, and of a whole `step`, at its peak.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { makeProject } from './iteration.mjs';
import { entry, env, git, makeFolder, makeTree, median, root, runNow, saveJson } from './measure.mjs';

const stepsMax = 3;

function runOwn(argv, cwd) {
  const file = path.join(cwd, '..', 'usage.json');
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(
    'node',
    ['-r', path.join(root, 'bench/own-usage.cjs'), entry, ...argv],
    {
      cwd,
      env: { ...env, BENCH_USAGE: file },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - startedMs, ...JSON.parse(readFileSync(file, 'utf8')) };
}

/** The same code that `step` runs, as one file; each time in a fresh process, as it is in `step`. */
async function bundleTreePart() {
  const outfile = path.join(makeFolder('tree-part'), 'tree-part.mjs');
  await build({
    entryPoints: [path.join(root, 'bench/tree-part.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return outfile;
}

/** The agent leaves the tree as it is; or it writes other words into its last node, so that the text must be read anew. */
function makeTreeFiles(folder, nodes) {
  const tree = path.join(folder, '.runner/state/tree.json');
  saveJson(tree, makeTree(nodes, { maxAttempts: 1000 }));
  git(folder, 'commit', '-aqm', 'tree');
  const text = readFileSync(tree, 'utf8');
  const edited = path.join(folder, '.git', 'edited.json');
  const at = text.lastIndexOf('"goal": "Do');
  writeFileSync(edited, `${text.slice(0, at)}"goal": "Undo${text.slice(at + '"goal": "Do'.length)}`);
  return { tree, edited };
}

function measureSize(folder, { nodes, repeats, program }) {
  const files = makeTreeFiles(folder, nodes);
  const own = (file) => JSON.parse(runNow(['node', program, folder, file], folder));
  const kinds = {
    validate: () => runOwn(['validate', '--quiet'], folder),
    select: () => runOwn(['select', '--quiet'], folder),
    'tree part of step': () => own(files.tree),
    'tree part, tree edited': () => own(files.edited),
  };
  const found = Object.fromEntries(Object.keys(kinds).map((name) => [name, []]));
  for (let round = 0; round < repeats; round += 1)
    for (const [name, run] of Object.entries(kinds)) found[name].push(run());

  const steps = Array.from({ length: Math.min(repeats, stepsMax) }, () =>
    runOwn(['step', '--quiet'], folder),
  );
  return {
    nodes,
    tree_bytes: readFileSync(files.tree).length,
    ms: Object.fromEntries(
      Object.entries(found).map(([name, all]) => [name, median(all.map(({ ms }) => ms))]),
    ),
    whole_step: {
      ms: median(steps.map(({ ms }) => ms)),
      own_cpu_ms: median(steps.map(({ cpu_ms }) => cpu_ms)),
    },
    peak_mb: Object.fromEntries(
      Object.entries({ ...found, 'whole step': steps }).map(([name, all]) => [
        name,
        Math.round(Math.max(...all.map(({ peak_bytes }) => peak_bytes)) / 1e6),
      ]),
    ),
  };
}

export async function measureScale({ sizes, repeats }) {
  const program = await bundleTreePart();
  const rows = sizes.map((nodes) => {
    const folder = makeProject(`scale-${nodes}`, { files: 20, leaves: 2 });
    return measureSize(folder, { nodes, repeats, program });
  });
  return { rows, growth: growthOf(rows), growth_above_start: growthAboveStart(rows) };
}

/** Time for each node, from decade to decade: 1 is linear, less is better. */
function growthOf(rows) {
  return Object.fromEntries(
    Object.keys(rows[0].ms).map((name) => {
      const perNode = rows.map(({ ms, nodes }) => ms[name] / nodes);
      return [name, perNode.slice(1).map((one, at) => one / perNode[at])];
    }),
  );
}

/** The same without the start of the program, from the largest decade, where the difference is no noise. */
function growthAboveStart(rows) {
  const [before, last] = rows.slice(-2);
  return Object.fromEntries(
    Object.entries(rows[0].ms).map(([name, floor]) => {
      const perNode = ({ ms, nodes }) => (ms[name] - floor) / (nodes - rows[0].nodes);
      return [name, perNode(last) / perNode(before)];
    }),
  );
}
