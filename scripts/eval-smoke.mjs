// Runs every shipped case with the built program, once with its own solution and once with an agent that does nothing, in a folder of its
// own with an empty home and no way to a network. A solution must succeed, and doing nothing must fail every single check.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parse } from 'smol-toml';

const root = path.dirname(import.meta.dirname);
const casesDir = path.join(root, 'eval', 'cases');
const deadProxy = 'http://127.0.0.1:9';
/** Ids of cases; none: all of them. */
const wanted = process.argv.slice(2);
/** Far beyond what it takes; whatever hangs is ended cleanly. */
const timeoutMs = 900_000;

function isHere(program) {
  const isRunnable = (folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => folder !== '' && isRunnable(folder));
}

function loadCases() {
  const files = readdirSync(casesDir).filter((name) => name.endsWith('.toml'));
  return files.map((name) => {
    const { id, requires = [] } = parse(readFileSync(path.join(casesDir, name), 'utf8')).case;
    return { id, missing: requires.filter((program) => !isHere(program)) };
  });
}

/** An installed toolchain may live in the home that is hidden here. */
function environment(home) {
  const { env } = process;
  return {
    ...env,
    HOME: home,
    RUSTUP_HOME: env.RUSTUP_HOME ?? path.join(homedir(), '.rustup'),
    CARGO_HOME: path.join(home, '.cargo'),
    HTTP_PROXY: deadProxy,
    HTTPS_PROXY: deadProxy,
    http_proxy: deadProxy,
    https_proxy: deadProxy,
  };
}

function runAll(folder) {
  const home = path.join(folder, 'home');
  const place = path.join(folder, 'place');
  mkdirSync(home);
  mkdirSync(place);
  const flags = ['--oracle', '--null', '--jobs', '2', '--json', '--cases', casesDir];
  const { status, signal, error } = spawnSync(
    process.execPath,
    [path.join(root, 'bin', 'runner.js'), 'eval', 'run', ...wanted, ...flags, '-C', place],
    { cwd: place, env: environment(home), stdio: ['ignore', 'ignore', 'inherit'], timeout: timeoutMs },
  );
  const ended = error?.message ?? signal ?? status;
  return {
    results: path.join(place, 'eval', 'results'),
    problem: ended === 0 ? null : `eval run ended with ${ended}`,
  };
}

function loadTrials(results, id) {
  const folder = path.join(results, id);
  const readJson = (...names) => JSON.parse(readFileSync(path.join(folder, ...names), 'utf8'));
  return readdirSync(folder).map((run) => ({
    ...readJson(run, 'meta.json'),
    ...readJson(run, 'checks.json'),
    dir: path.join(folder, run),
  }));
}

/** What is wrong with a trial; null when it is as it should be. */
function problemOf({ variant, outcome, reason, checks }, missing) {
  if (missing.length > 0) return outcome === 'skipped' ? null : `is ${outcome} without ${missing.join(', ')}`;
  if (outcome === 'skipped') return 'was skipped, though its programs are here';
  if (variant.kind === 'oracle') return outcome === 'success' ? null : `ended as ${reason ?? outcome}`;
  const passed = checks.filter((check) => check.passed);
  if (passed.length > 0) return `passes ${passed[0].label.slice(0, 60)} by doing nothing`;
  return outcome === 'stuck' || outcome === 'fail' ? null : `ended as ${reason ?? outcome}`;
}

function rowsOf(results, { id, missing }) {
  const trials = loadTrials(results, id);
  return ['oracle', 'null'].map((kind) => {
    const [trial, ...more] = trials.filter(({ variant }) => variant.kind === kind);
    if (trial === undefined || more.length > 0)
      return { id, kind, problem: `has ${more.length} trials too many` };
    const problem = problemOf(trial, missing);
    return { id, kind, problem, trial, missing };
  });
}

function printRow({ id, kind, problem, trial, missing }) {
  const words = [
    problem === null ? 'ok  ' : 'FAIL',
    id.padEnd(20),
    kind.padEnd(6),
    (trial?.outcome ?? '-').padEnd(8),
    `${(trial?.duration_secs ?? 0).toFixed(1)} s`.padStart(7),
    trial === undefined ? '' : `${trial.checks_passed}/${trial.checks_total} checks`,
    problem ?? (missing.length > 0 ? `(no ${missing.join(', ')} here)` : ''),
  ];
  console.log(words.join('  ').trimEnd());
}

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'runner-eval-smoke-')));
const startedMs = Date.now();
const cases = loadCases().filter(({ id }) => wanted.length === 0 || wanted.includes(id));
const { results, problem } = runAll(folder);
const rows = problem === null ? cases.flatMap((item) => rowsOf(results, item)) : [];
rows.forEach(printRow);
const failed = rows.filter((row) => row.problem !== null);
const count = `${rows.length} trials of ${cases.length} cases`;
console.log(
  `eval:smoke: ${count}, ${failed.length} wrong, ${((Date.now() - startedMs) / 1000).toFixed(0)} s`,
);
if (problem === null && failed.length === 0 && cases.length > 0) {
  rmSync(folder, { recursive: true });
} else {
  console.error(`${problem ?? 'see the rows above'}; everything is kept in ${folder}`);
  process.exitCode = 1;
}
