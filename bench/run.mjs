// `npm run bench [row…]`: measures every row of docs/performance.md, prints a table and writes bench/results/latest.json.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { measureFirstLine } from './first-line.mjs';
import { measureFlood } from './flood.mjs';
import { measureIterations, measureLongRun } from './iteration.mjs';
import { env, removeScratch, root } from './measure.mjs';
import { measureSandbox } from './sandbox.mjs';
import { measureScale } from './scale.mjs';
import { measureStartup } from './startup.mjs';
import { measureUi } from './ui.mjs';

const rows = {
  startup: () => measureStartup({ repeats: 31 }),
  first: () => measureFirstLine({ sizes: [1000, 50_000], repeats: 9 }),
  iteration: () => measureIterations({ files: 1000, turns: 3, rounds: 12 }),
  large: () => measureIterations({ files: 50_000, turns: 2, rounds: 4 }),
  sandbox: () => measureSandbox({ repeats: 101 }),
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
function judge({ startup, first, iteration, large, sandbox, long, scale, flood, ui, house }) {
  const lines = [];
  const add = (name, value, most, unit = '×') =>
    lines.push({ name, value, most, unit, met: most === null || value <= most });
  if (startup !== undefined) {
    add('runner --version / empty program', startup.version.ratio, 1.4);
    add('runner select / empty program', startup.select.ratio, 4);
    add('runner validate, 1,000 nodes / empty program', startup.validate.ratio, 6);
    add('the same in real commits', startup.validate_in_commit.ratio, null);
    add('runner status / empty program', startup.status.ratio, null);
  }
  if (first !== undefined) judgeFirst(first, add);
  if (iteration !== undefined) judgeIteration(iteration, { ratio: 6, processes: 20, share: 0.2 }, add);
  if (large !== undefined) judgeIteration(large, { ratio: 2.8, processes: 20 }, add);
  if (sandbox) {
    add(
      'start of a program in bubblewrap, more than alone',
      sandbox.bwrap_ms - sandbox.plain_ms,
      null,
      ' ms',
    );
  }
  if (long !== undefined) add('iterations 951–1,000 / 11–60', long.ratio, 1.2);
  if (scale !== undefined) {
    for (const [name, growth] of Object.entries(scale.growth))
      add(`${name}: growth a decade / linear`, Math.max(...growth), 1.2);
    for (const [name, growth] of Object.entries(scale.growth_above_start))
      add(`${name}: the last decade without the start`, growth, null);
    const last = scale.rows.at(-1);
    for (const [name, ms] of Object.entries(last.ms))
      add(`${name}, 100,000 nodes`, ms / 1000, name === 'validate' ? 4 : null, ' s');
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

const sizeOf = (files) => `${files.toLocaleString('en')} files`;

function judgeFirst(first, add) {
  for (const { files, fresh, ...later } of first.rows) {
    for (const [name, row] of [
      [sizeOf(files), later],
      [`${sizeOf(files)}, first of a run`, fresh],
    ]) {
      add(`first line of runner loop, ${name}`, row.first_line_ms, null, ' ms');
      add(`start of the agent, ${name}`, row.agent_ms, null, ' ms');
      add(`git processes before it, ${name}`, row.git_processes, 12, '');
    }
  }
}

/**
 * The rails are for an iteration without rings: what the rings cost is reported beside it. Waits for the clock are counted apart, because
 * what is waited for is the next second.
 */
function judgeIteration({ files, shell_ms, ...ways }, most, add) {
  const size = sizeOf(files);
  const titles = {
    none: 'without rings',
    second: 'as shipped',
    second_and_third: 'with a clone for every pass',
  };
  for (const [name, way] of Object.entries(ways)) {
    const rail = name === 'none' ? most : {};
    const own = (what, value, limit, unit) =>
      add(`${what}, ${size}, ${titles[name]}`, value, limit ?? null, unit);
    own('iteration / shell loop', (way.ms - way.waits_ms) / shell_ms, rail.ratio);
    if (way.waits_ms > 0) own('waits for the clock beside it', way.waits_ms, null, ' ms');
    own('git processes of an iteration', way.git_processes, rail.processes, '');
    // Agent and guard are not waited for: what the runner does beside them does not depend on how long they take.
    own('share of an iteration with 60 s agent, 10 s guard', way.own_ms / 700, rail.share, ' %');
  }
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
if (unknown.length > 0)
  throw new Error(`unknown rows: ${unknown.join(', ')}; there are ${Object.keys(rows).join(', ')}`);

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
  // Programs that wanted a processor at the end: above the number of processors other work was in the way.
  load: os.loadavg().map((value) => Math.round(value * 10) / 10),
};
mkdirSync(path.join(root, 'bench/results'), { recursive: true });
const name = asked.length === 0 ? 'latest.json' : `${asked.join('-')}.json`;
writeFileSync(
  path.join(root, 'bench/results', name),
  `${JSON.stringify({ machine, table: lines, results }, null, 2)}\n`,
);
console.log(renderTable(lines).join('\n'));
