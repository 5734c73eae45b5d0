// How commands grow with the tree: 100 to 100,000 nodes, time above an empty program and memory at its peak.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  entry,
  env,
  makeFolder,
  makeRepository,
  makeTree,
  runNow,
  timeInTurns,
  saveJson,
} from './measure.mjs';

/** What `step` does with a tree besides running programs: read, select, prompt, judge, update, render. */
const commands = { validate: ['validate'], select: ['select'], step: ['explain', '--agent', 'command'] };

function peakBytes(argv, cwd) {
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', ...argv], { cwd, env, encoding: 'utf8' });
  return Number(stderr.trimEnd().split('\n').at(-1)) * 1024;
}

export function measureScale({ sizes, repeats }) {
  const empty = path.join(makeFolder('empty'), 'empty.cjs');
  writeFileSync(empty, '');
  const folder = makeRepository('scale', 1);
  runNow(['node', entry, 'init', '--quiet'], folder);
  const rows = sizes.map((nodes) => {
    saveJson(path.join(folder, '.runner/state/tree.json'), makeTree(nodes));
    const argvs = Object.values(commands).map((args) => ['node', entry, ...args]);
    const [base, ...times] = timeInTurns([['node', empty], ...argvs], { cwd: folder, repeats });
    const names = Object.keys(commands);
    return {
      nodes,
      ms: Object.fromEntries(names.map((name, at) => [name, times[at]])),
      above_empty_ms: Object.fromEntries(names.map((name, at) => [name, times[at] - base])),
      peak_mb: Math.round(peakBytes(argvs[0], folder) / 1e6),
    };
  });
  return { rows, growth: growthOf(rows) };
}

/** From decade to decade, the time above the smallest tree's, divided by ten: 1 is linear. */
function growthOf(rows) {
  const names = Object.keys(rows[0].ms);
  return Object.fromEntries(
    names.map((name) => {
      const floor = rows[0].ms[name];
      const above = rows.slice(1).map(({ ms }) => ms[name] - floor);
      return [name, above.slice(1).map((value, at) => value / above[at] / 10)];
    }),
  );
}
