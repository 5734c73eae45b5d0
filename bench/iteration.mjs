// One iteration of `runner loop` with an agent and a guard that take no time, against the loop a person would write in a shell.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entry, git, makeRepository, makeTree, median, runNow, saveJson, timeLines } from './measure.mjs';

const answer = '{"status":"done","summary":"made it","children":null}';

/** Both do the same: one file changes, an answer is left. */
const agent = `#!/bin/sh
echo "$RUNNER_ITER $$" >> d0/f0.txt
[ -z "$RUNNER_OUTPUT" ] || printf '%s' '${answer}' > "$RUNNER_OUTPUT"
`;
const guard = '#!/bin/sh\nexit 0\n';

/** Prints microseconds: before the agent, after it, after the guard, and at the end of each round. */
const shellLoop = `
for i in $(seq "$1"); do
  git status --porcelain > /dev/null
  a=$EPOCHREALTIME; ./agent.sh; b=$EPOCHREALTIME
  ./guard.sh; c=$EPOCHREALTIME
  git add -A
  git commit -q -m "round $i"
  echo "\${a/./} \${b/./} \${c/./} \${EPOCHREALTIME/./}"
done
`;

function writeProgram(folder, name, text) {
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

/** Milliseconds of each round from the second on, and of agent and guard in it. */
function timeShell(folder, rounds) {
  const out = runNow(['bash', '-c', shellLoop, 'bash', String(rounds)], folder);
  const marks = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').map((text) => Number(text) / 1000));
  return marks.slice(1).map(([before, , after, end], at) => ({
    whole: end - marks[at][3],
    programs: after - before,
  }));
}

/** The same of `runner loop`, which says itself how long agent and guard took, from their start to their end. */
async function timeRunner(folder, rounds) {
  const args = [
    'node',
    entry,
    'loop',
    '--json',
    '--quiet',
    '--max-iterations',
    String(nextIteration(folder) + rounds - 1),
  ];
  const { lines, errors } = await timeLines(args, folder);
  const steps = lines.filter(({ line }) => line.includes('"event":"step"'));
  if (steps.length !== rounds) throw new Error(`${steps.length} of ${rounds} iterations: ${errors}`);
  return steps.slice(1).map(({ atMs, line }, at) => {
    const took = JSON.parse(line).duration_ms;
    return { whole: atMs - steps[at].atMs, programs: took.agent + took.guard };
  });
}

function nextIteration(folder) {
  return JSON.parse(runNow(['git', 'show', 'HEAD:.runner/state/run_state.json'], folder)).next_iter;
}

/**
 * In turns; from the second round of each turn on. `ratio`: everything of an iteration but agent and guard, against the whole shell loop;
 * `own_ratio`: against the shell loop without agent and guard, too.
 */
export async function measureIterations({ files, turns, rounds }) {
  const ours = makeProject(`loop-${files}`, { files, leaves: turns * rounds + 10 });
  const theirs = makeRepository(`shell-${files}`, files);
  writeProgram(theirs, 'agent.sh', agent);
  writeProgram(theirs, 'guard.sh', guard);
  git(theirs, 'add', '-A');
  git(theirs, 'commit', '-q', '-m', 'programs');
  const shell = [];
  const runner = [];
  for (let turn = 0; turn < turns; turn += 1) {
    shell.push(...timeShell(theirs, rounds));
    runner.push(...(await timeRunner(ours, rounds)));
  }
  const own = (times) => median(times.map(({ whole, programs }) => whole - programs));
  const whole = (times) => median(times.map((time) => time.whole));
  return {
    files,
    shell_ms: whole(shell),
    shell_own_ms: own(shell),
    runner_ms: whole(runner),
    runner_own_ms: own(runner),
    ratio: own(runner) / whole(shell),
    own_ratio: own(runner) / own(shell),
    whole_ratio: whole(runner) / whole(shell),
  };
}

/** Whether a long run grows slower: its late iterations against its early ones. */
export async function measureLongRun({ iterations }) {
  const folder = makeProject('long', { files: 200, leaves: iterations + 10 });
  const times = await timeRunner(folder, iterations);
  const early = median(times.slice(10, 60).map(({ whole }) => whole));
  const late = median(times.slice(-50).map(({ whole }) => whole));
  return { iterations, early_ms: early, late_ms: late, ratio: late / early };
}
