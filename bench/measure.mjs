// What every row of the benchmark needs: a clean environment, interleaved repeats, medians, throw-away repositories.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

export const root = path.dirname(import.meta.dirname);
export const entry = path.join(root, 'bin/runner.js');

/** On a real disk: in memory nothing that is synced would cost anything. */
const scratch = path.join(root, '.cache', 'bench');

export const env = {
  PATH: process.env.PATH,
  HOME: path.join(scratch, 'home'),
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
};

export function makeFolder(name) {
  mkdirSync(env.HOME, { recursive: true });
  return mkdtempSync(path.join(scratch, `${name}-`));
}

/** For programs in front of git: in the work tree of this checkout the runner would look for them last. */
const programs = mkdtempSync(path.join(tmpdir(), 'runner-bench-'));

export function removeScratch() {
  for (const folder of [scratch, programs]) rmSync(folder, { recursive: true, force: true });
}

function makeProgramFolder() {
  return mkdtempSync(path.join(programs, 'git-'));
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export function runNow(argv, cwd, options = {}) {
  const { status, stdout, stderr } = spawnSync(argv[0], argv.slice(1), {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    ...options,
  });
  const accepted = options.accept ?? [0];
  if (!accepted.includes(status)) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Milliseconds of each command, in turns, so that a busy moment of the machine falls on all of them alike. */
export function timeInTurns(commands, { cwd, repeats, given = {} }) {
  const times = commands.map(() => []);
  for (let round = 0; round < repeats + 2; round += 1) {
    commands.forEach((argv, at) => {
      const startedMs = performance.now();
      spawnSync(argv[0], argv.slice(1), { cwd, env: { ...env, ...given }, stdio: 'ignore' });
      // The first two rounds only warm up.
      if (round >= 2) times[at].push(performance.now() - startedMs);
    });
  }
  return times.map(median);
}

/** The arrival time of each line a program prints, and its lines. */
export async function timeLines(argv, cwd, given = {}) {
  const child = spawn(argv[0], argv.slice(1), {
    cwd,
    env: { ...env, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = [];
  let rest = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const atMs = performance.now();
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop();
    for (const line of parts) lines.push({ atMs, line });
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = `${errors}${text}`.slice(-2000);
  });
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  return { code, lines, errors };
}

/** A program in front of git that leaves a line for each start; it takes time itself, so nothing is timed with it. */
export function countingGit() {
  const folder = makeProgramFolder();
  const file = path.join(folder, 'calls');
  const script = `#!/bin/sh\necho "git $*" >> '${file}'\nPATH='${env.PATH}' exec git "$@"\n`;
  writeFileSync(file, '');
  writeFileSync(path.join(folder, 'git'), script, { mode: 0o755 });
  return {
    file,
    env: { PATH: `${folder}:${env.PATH}` },
    calls: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
  };
}

/** The same with the moments at which each git began and ended: `start <seconds> <arguments>`, `end <seconds>`. */
export function timingGit() {
  const folder = makeProgramFolder();
  const file = path.join(folder, 'calls');
  const script = `#!/bin/bash
echo "start $EPOCHREALTIME $*" >> '${file}'
PATH='${env.PATH}' git "$@"
code=$?
echo "end $EPOCHREALTIME" >> '${file}'
exit $code
`;
  writeFileSync(file, '');
  writeFileSync(path.join(folder, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${folder}:${env.PATH}` },
    calls: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
  };
}

export function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trimEnd();
}

/** A repository with so many small files, a hundred in a folder; packed, and never tidied up in the background of a measurement. */
export function makeRepository(name, files) {
  const folder = makeFolder(name);
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'user.name', 'Bench');
  git(folder, 'config', 'user.email', 'bench@example.invalid');
  git(folder, 'config', 'gc.auto', '0');
  for (let at = 0; at < files; at += 1) {
    const place = path.join(folder, `d${Math.floor(at / 100)}`);
    if (at % 100 === 0) mkdirSync(place);
    writeFileSync(path.join(place, `f${at}.txt`), `file ${at}\n`.repeat(20));
  }
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'files');
  git(folder, 'gc', '-q');
  return folder;
}

/** A balanced tree with so many nodes, ten children each; only leaves are work. */
export function makeTree(nodes, { maxAttempts = 3 } = {}) {
  const make = (id, order) => ({
    id,
    order,
    title: `Task ${id}`,
    goal: `Do what ${id} says.`,
    acceptance: [`${id} works`],
    passes: false,
    attempts: 0,
    max_attempts: maxAttempts,
    children: [],
  });
  const tree = make('root', 0);
  const open = [tree];
  for (let made = 1, at = 0; made < nodes; at += 1) {
    const parent = open[at];
    for (let k = 0; k < 10 && made < nodes; k += 1, made += 1) {
      const child = make(`n${made}`, k);
      parent.children.push(child);
      open.push(child);
    }
  }
  return tree;
}

export function saveJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
