// One iteration of `runner loop` with an agent and a guard that take no time, against the loop a person would write in a shell.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  countingGit,
  entry,
  git,
  makeRepository,
  makeTree,
  median,
  root,
  runNow,
  saveJson,
  timeLines,
  timingGit,
} from './measure.mjs';

const answer = '{"status":"done","summary":"made it","children":null}';

/** Above it the runner waits for the clock instead of comparing contents (src/adapters/git/staging.ts). */
const comparedFilesMax = 10_000;

/** Both do the same: one file changes, an answer is left. */
const agent = `#!/bin/sh
echo "$RUNNER_ITER $$" >> d0/f0.txt
[ -z "$RUNNER_OUTPUT" ] || printf '%s' '${answer}' > "$RUNNER_OUTPUT"
`;
const guard = '#!/bin/sh\nexit 0\n';

/** Prints microseconds at the end of each round. */
const shellLoop = `
for i in $(seq "$1"); do
  git status --porcelain > /dev/null
  ./agent.sh
  ./guard.sh
  git add -A
  git commit -q -m "round $i"
  echo "\${EPOCHREALTIME/./}"
done
`;

export function writeProgram(folder, name, text) {
  writeFileSync(path.join(folder, name), text);
  chmodSync(path.join(folder, name), 0o755);
}

export function makeProject(name, { files, leaves }) {
  const folder = makeRepository(name, files);
  writeProgram(folder, 'agent.sh', agent);
  writeProgram(folder, 'guard.sh', guard);
  mkdirSync(path.join(folder, '.runner/state'), { recursive: true });
  runNow(['node', entry, 'init', '--quiet'], folder);
  const config = `max_iterations = 1000000
[agent]
name = "command"
command = ["./agent.sh"]
[guard]
command = ["./guard.sh"]
[sandbox]
kind = "none"
`;
  writeFileSync(path.join(folder, '.runner/state/config.toml'), config);
  writeFileSync(path.join(folder, '.runner/GOAL.md'), '---\nid: bench\n---\nMeasure.\n');
  const tree = makeTree(1);
  tree.children = Array.from({ length: leaves }, (_, order) => ({
    ...makeTree(1),
    id: `leaf-${order}`,
    order,
  }));
  saveJson(path.join(folder, '.runner/state/tree.json'), tree);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'project');
  runNow(['node', entry, 'start', '--quiet', '--no-baseline'], folder);
  return folder;
}

/** Milliseconds of each round from the second on, agent and guard included. */
function timeShell(folder, rounds) {
  const out = runNow(['bash', '-c', shellLoop, 'bash', String(rounds)], folder);
  const endsMs = out
    .trimEnd()
    .split('\n')
    .map((text) => Number(text) / 1000);
  return endsMs.slice(1).map((endMs, at) => endMs - endsMs[at]);
}

/** So many iterations more, as arguments of `runner`. */
export function loopOf(folder, rounds) {
  const state = JSON.parse(runNow(['git', 'show', 'HEAD:.runner/state/run_state.json'], folder));
  return ['loop', '--max-iterations', String(state.next_iter + rounds - 1)];
}

/** The same of `runner loop`; `programs` is what it says itself of agent and guard. */
async function timeRunner(folder, rounds, given = {}, program = entry) {
  const argv = ['node', program, ...loopOf(folder, rounds), '--json', '--quiet'];
  const { lines, errors } = await timeLines(argv, folder, given);
  const steps = lines.filter(({ line }) => line.includes('"event":"step"'));
  if (steps.length !== rounds) throw new Error(`${steps.length} of ${rounds} iterations: ${errors}`);
  return steps.slice(1).map(({ atMs, line }, at) => {
    const took = JSON.parse(line).duration_ms;
    return { whole: atMs - steps[at].atMs, programs: took.agent + took.guard };
  });
}

/** A build whose rings can be switched off; see src/adapters/files/test-switch.ts. */
const testEntry = path.join(root, '.cache/test-dist/bin/runner.js');
const ringsOff = { RUNNER_GUARD_POLICY: 'open', RUNNER_TEST_OFF: 'settings,refs,special,bytes' };

/** The same iteration without any ring between judge and judged, with the second, and with a clone for every pass. */
const ways = {
  none: { program: testEntry, given: { ...ringsOff, RUNNER_GUARD_CHECKOUT: 'off' } },
  second: { program: entry, given: { RUNNER_GUARD_CHECKOUT: 'off' } },
  second_and_third: { program: entry, given: { RUNNER_GUARD_CHECKOUT: 'every' } },
};

/** git processes of one iteration: a loop of several against a loop of one. */
async function countProcesses(folder, { given, program }) {
  const several = 5;
  const counts = [];
  for (const rounds of [1, 1 + several]) {
    const counting = countingGit();
    await timeRunner(folder, rounds, { ...given, ...counting.env }, program);
    counts.push(counting.calls().length);
  }
  return (counts[1] - counts[0]) / several;
}

/**
 * How long an iteration waits for the clock (src/adapters/git/staging.ts): between the end of `git add` and the start of
 * `git write-tree` there is nothing else.
 */
async function measureWaits(folder, { given, program }) {
  const rounds = 5;
  const timing = timingGit();
  await timeRunner(folder, 1 + rounds, { ...given, ...timing.env }, program);
  const waits = [];
  let addedMs = null;
  let isAdding = false;
  for (const line of timing.calls()) {
    const [kind, seconds] = line.split(' ');
    if (kind === 'end' && isAdding) [addedMs, isAdding] = [Number(seconds) * 1000, false];
    if (line.includes(' write-tree') && addedMs !== null) {
      waits.push(Number(seconds) * 1000 - addedMs);
      addedMs = null;
    }
    if (line.includes(' add --all ')) isAdding = true;
  }
  return waits.reduce((sum, ms) => sum + ms, 0) / (1 + rounds);
}

function makeShellProject(name, files) {
  const folder = makeRepository(name, files);
  writeProgram(folder, 'agent.sh', agent);
  writeProgram(folder, 'guard.sh', guard);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'programs');
  return folder;
}

/** In turns; from the second round of each turn on. `ratio` has agent and guard on both sides; `own_ms` is without them. */
export async function measureIterations({ files, turns, rounds }) {
  runNow(['npm', 'run', '--silent', 'build:test'], root);
  const names = Object.keys(ways);
  const ours = makeProject(`loop-${files}`, { files, leaves: names.length * (turns * rounds + 20) });
  const theirs = makeShellProject(`shell-${files}`, files);
  const shell = [];
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn += 1) {
    shell.push(...timeShell(theirs, rounds));
    for (const name of names)
      found[name].push(...(await timeRunner(ours, rounds, ways[name].given, ways[name].program)));
  }
  const shellMs = median(shell);
  const result = { files, shell_ms: shellMs };
  for (const name of names) {
    const ms = median(found[name].map(({ whole }) => whole));
    result[name] = {
      ms,
      own_ms: median(found[name].map(({ whole, programs }) => whole - programs)),
      ratio: ms / shellMs,
      git_processes: await countProcesses(ours, ways[name]),
      waits_ms: files > comparedFilesMax ? await measureWaits(ours, ways[name]) : 0,
    };
  }
  return result;
}

/** Whether a long run grows slower: its late iterations against its early ones. */
export async function measureLongRun({ iterations }) {
  const folder = makeProject('long', { files: 200, leaves: iterations + 10 });
  const times = await timeRunner(folder, iterations);
  const early = median(times.slice(10, 60).map(({ whole }) => whole));
  const late = median(times.slice(-50).map(({ whole }) => whole));
  return { iterations, early_ms: early, late_ms: late, ratio: late / early };
}
