// `npm run bench [row…]`: measures every row of docs/performance.md, prints a table and writes bench/results/latest.json.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { measureFlood } from './flood.mjs';
import { measureIterations, measureLongRun } from './iteration.mjs';
import { env, removeScratch, root } from './measure.mjs';
import { measureScale } from './scale.mjs';
import { measureStartup } from './startup.mjs';
import { measureUi } from './ui.mjs';

const rows = {
  startup: () => measureStartup({ repeats: 31 }),
  iteration: () => measureIterations({ files: 1000, turns: 4, rounds: 18 }),
  large: () => measureIterations({ files: 50_000, turns: 3, rounds: 6 }),
  long: () => measureLongRun({ iterations: 1000 }),
  scale: () => measureScale({ sizes: [100, 1000, 10_000, 100_000], repeats: 5 }),
  flood: () => measureFlood({ bytes: 1_000_000_000, repeats: 3 }),
  ui: () => measureUi({ nodes: 10_000, iterations: 2000, logBytes: 100_000_000, changes: 50 }),
  house: () => measureHouse(),
};

function timed(command) {
  const startedMs = performance.now();
  execFileSync('sh', ['-c', command], { cwd: root, stdio: 'ignore' });
  return Math.round(performance.now() - startedMs);
}

function measureHouse() {
  return {
    build_ms: timed('rm -rf dist && node scripts/build.mjs'),
    typecheck_ms: timed('rm -rf .cache/types && npx tsc -b'),
    lint_ms: timed('npx oxlint --type-aware --deny-warnings src test scripts bin bench'),
    tests_ms: timed('npx vitest run --coverage'),
  };
}

/** Name, measured, target and whether it is met; `null`: only reported. */
function judge({ startup, iteration, large, long, scale, flood, ui, house }) {
  const lines = [];
  const add = (name, value, most, unit = '×') =>
    lines.push({ name, value, most, unit, met: most === null || value <= most });
  if (startup !== undefined) {
    add('runner --version / empty program', startup.version.ratio, 1.2);
    add('runner select / empty program', startup.select.ratio, 1.6);
    add('runner validate, 1,000 nodes / empty program', startup.validate.ratio, 2);
    add('the same in real commits', startup.validate_in_commit.ratio, null);
    add('runner status / empty program', startup.status.ratio, null);
  }
  if (iteration !== undefined) {
    add('iteration, 1,000 files / shell loop', iteration.ratio, 2);
    add('the same / shell loop without agent and guard', iteration.own_ratio, null);
    add('the same, agent and guard in both', iteration.whole_ratio, null);
  }
  if (large !== undefined) add('iteration, 50,000 files / shell loop', large.ratio, 1.5);
  if (long !== undefined) add('iterations 951–1,000 / 11–60', long.ratio, 1.2);
  if (scale !== undefined) {
    for (const [name, growth] of Object.entries(scale.growth))
      add(`${name}: growth a decade / linear`, Math.max(...growth), 1.2);
    for (const [name, growth] of Object.entries(scale.growth_above_start))
      add(`${name}: the last decade without the start`, growth, null);
    const last = scale.rows.at(-1);
    for (const [name, ms] of Object.entries(last.ms)) add(`${name}, 100,000 nodes`, ms / 1000, 1.5, ' s');
    for (const [name, mb] of Object.entries(last.peak_mb))
      add(`memory of ${name}, 100,000 nodes`, mb, 600, ' MB');
    add('whole step, 100,000 nodes', last.whole_step.ms / 1000, null, ' s');
  }
  if (flood !== undefined) {
    for (const [name, form] of Object.entries(flood)) {
      // Records are read one by one, because each may carry an error or what was used: only reported.
      const most = name === 'plain' ? 3 : null;
      add(`agent printing 1 GB, ${name}, above a silent one / cat`, form.ratio, most);
      add(`the whole step, ${name} / cat`, form.whole_ratio, null);
      add(`memory meanwhile, ${name}`, form.peak_mb, 150, ' MB');
    }
  }
  if (ui !== undefined) judgeUi(ui, add);
  for (const [name, value] of Object.entries(house ?? {}))
    add(name.replace('_ms', ''), value / 1000, null, ' s');
  return lines;
}

function judgeUi({ latency, first_ms, frame_ms, log_ms }, add) {
  add('page after a change of a file, median', latency.median_ms, 300, ' ms');
  for (const [name, ms] of Object.entries(first_ms))
    add(`first view of ${name}, 10,000 nodes, 2,000 iterations`, ms / 1000, 1.5, ' s');
  // Thirty a second; of all frames the one that 95 in 100 are quicker than.
  for (const [name, ms] of Object.entries(frame_ms))
    add(`frame of ${name.replace('_ms', '').replaceAll('_', ' ')}`, ms, 33.4, ' ms');
  add('end of a log of 100 MB', log_ms / 1000, 1.5, ' s');
}

function renderTable(lines) {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines.map(({ name, value, most, unit, met }) => {
    const target = most === null ? '' : `at most ${most}${unit}`.padEnd(16);
    return `${name.padEnd(width)}  ${`${value.toFixed(2)}${unit}`.padStart(12)}  ${target}${most === null ? '' : met ? 'met' : 'NOT MET'}`;
  });
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in rows));
if (unknown.length > 0) {
  throw new Error(`unknown rows: ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}`);
}
const results = {};
for (const [name, measure] of Object.entries(rows)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`measuring ${name} …`);
  try {
    results[name] = await measure();
  } catch (error) {
    // What the other rows took long to find out is not lost with this one.
    console.error(`${name} could not be measured: ${error.message}`);
    process.exitCode = 1;
  }
}
removeScratch();
const lines = judge(results);
const machine = {
  node: process.version,
  git: execFileSync('git', ['--version'], { env, encoding: 'utf8' }).trim(),
  cpus: os.cpus().length,
};
mkdirSync(path.join(root, 'bench/results'), { recursive: true });
const name = asked.length === 0 ? 'latest.json' : `${asked.join('-')}.json`;
writeFileSync(
  path.join(root, 'bench/results', name),
  `${JSON.stringify({ machine, table: lines, results }, null, 2)}\n`,
);
console.log(renderTable(lines).join('\n'));
