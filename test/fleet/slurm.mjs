// `npm run test:slurm`: a real Slurm takes what `runner eval fleet` prints. An eval of 12 trials as an array of 4, one task killed and
// queued again, must merge to what a local run gives. A run whose worker is killed must go on in another clone from the pushed branch,
// and the worker that comes back must stop at the fence. Where Slurm cannot be started it says so.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startCluster, waitFor, whyNot } from './slurm-cluster.mjs';

const entry = path.join(import.meta.dirname, '..', '..', 'bin', 'runner.js');

const folder = mkdtempSync(path.join(tmpdir(), 'runner-slurm-'));
const home = path.join(folder, 'home');
const bin = path.join(folder, 'bin');
const marks = path.join(folder, 'marks');
for (const place of [home, bin, marks]) mkdirSync(place);
writeFileSync(path.join(bin, 'runner'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, {
  mode: 0o755,
});
writeFileSync(path.join(home, '.gitconfig'), '[user]\nname = Fleet\nemail = fleet@test.invalid\n');
const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, TMPDIR: folder, LANG: 'C.UTF-8' };

function check(isSo, what) {
  if (!isSo) throw new Error(what);
  process.stdout.write(`ok ${what}\n`);
}

function run(cwd, program, ...args) {
  const ran = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  return { code: ran.status, out: ran.stdout.trim(), err: ran.stderr.trim() };
}

function must(cwd, program, ...args) {
  const { code, out, err } = run(cwd, program, ...args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${err}\n${out}`);
  return out;
}

const mark = (name) => path.join(marks, name);
const linesOf = (name) => (existsSync(mark(name)) ? readFileSync(mark(name), 'utf8').trim().split('\n') : []);

/** Shell: notes who works; where `waits` holds, it stays at work until it was killed once. */
const agentScript = (name, waits) => `
echo "$SLURM_ARRAY_TASK_ID $EVAL_REPEAT" >> '${mark(name)}'
if ${waits} && [ ! -e '${mark(`${name}-killed`)}' ]; then
  echo $$ > '${mark(`${name}-at-work`)}'
  while [ -d '${marks}' ] && [ ! -e '${mark(`${name}-killed`)}' ]; do sleep 0.1; done
fi
`;
const saysDone = `printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"`;

/** The processes of a task, as `kill -9` of the machine would end them. */
function killTask(name, jobId) {
  const own = readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`SLURM_JOB_ID=${jobId}`) &&
        !readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('slurmstepd')
      );
    } catch {
      return false;
    }
  });
  for (const pid of own) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Its parent's death ended it.
    }
  }
  writeFileSync(mark(`${name}-killed`), '');
  return own.length;
}

/** One task of an array as Slurm sees it. */
function taskOf(cluster, jobId, task) {
  const { out } = cluster.call('scontrol', '-o', 'show', 'job', `${jobId}_${task}`);
  const field = (name) => new RegExp(`(?:^| )${name}=(\\S+)`).exec(out)?.[1] ?? null;
  return { state: field('JobState'), id: field('JobId'), restarts: Number(field('Restarts')) };
}

const ended = ['COMPLETED', 'FAILED', 'CANCELLED', 'NODE_FAIL'];

async function killAndRequeue(cluster, { name, jobId, task }) {
  await waitFor(`task ${task} of ${name} at work`, () => {
    const { state } = taskOf(cluster, jobId, task);
    const isAtWork = existsSync(mark(`${name}-at-work`));
    if (!isAtWork && ended.includes(state))
      throw new Error(`task ${task} of ${name} ended before it was killed`);
    return isAtWork;
  });
  const killed = killTask(name, taskOf(cluster, jobId, task).id);
  check(killed > 1, `task ${task} of ${name}: ${killed} processes killed with SIGKILL`);
  await waitFor('end of the killed task', () => ended.includes(taskOf(cluster, jobId, task).state));
  const queued = cluster.call('scontrol', 'requeue', `${jobId}_${task}`);
  check(queued.code === 0, `Slurm queues it again ${queued.err}`);
}

function submit(cluster, dir, script) {
  writeFileSync(path.join(dir, 'fleet.sh'), `${script}\n`);
  const { out, err } = cluster.call('sbatch', `--chdir=${dir}`, path.join(dir, 'fleet.sh'));
  const [, jobId] = /Submitted batch job (\d+)/.exec(out) ?? [];
  check(jobId !== undefined, `sbatch takes the script: ${out}${err}`);
  return jobId;
}

const caseText = `[case]
id = "five-of-six"
goal = "Write the word solved to answer.txt."
[config.guard]
command = ["true"]
baseline = false
[agent]
name = "command"
command = ["sh", "-c", ${JSON.stringify(
  `${agentScript('trials', `[ "\${SLURM_ARRAY_TASK_ID:-}" = 2 ] && [ "$(grep -c '^2 ' '${mark('trials')}')" = 2 ]`)}
if [ $((EVAL_REPEAT % 6)) = 0 ]; then echo wrong > answer.txt; else echo solved > answer.txt; fi
${saysDone}`,
)}]
[[checks]]
type = "file_contains"
path = "answer.txt"
text = "solved"
`;

/** What must be equal, however the trials were run. */
function resultOf(dir, batch) {
  const report = JSON.parse(must(dir, 'runner', 'eval', 'report', batch, '--reporter', 'json'));
  const trials = readdirSync(path.join(dir, 'eval', 'results', 'five-of-six')).flatMap((name) => {
    const file = path.join(dir, 'eval', 'results', 'five-of-six', name, 'meta.json');
    const meta = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
    return meta?.batch_id === batch ? [`${meta.repeat} ${meta.outcome}`] : [];
  });
  const [{ outcomes, rate, interval }] = report.variants;
  return JSON.stringify({ trials: trials.toSorted(), outcomes, rate, interval });
}

async function evalStory(cluster) {
  const dir = path.join(folder, 'eval');
  mkdirSync(path.join(dir, 'eval', 'cases'), { recursive: true });
  writeFileSync(path.join(dir, 'eval', 'cases', 'five-of-six.toml'), caseText);
  const flags = ['--repeat', '12', '--batch', 'night', '--shards', '4'];
  const jobId = submit(cluster, dir, must(dir, 'runner', 'eval', 'fleet', '--engine', 'slurm', ...flags));
  await killAndRequeue(cluster, { name: 'trials', jobId, task: 2 });
  await waitFor('four ended tasks', () =>
    [1, 2, 3, 4].every((task) => taskOf(cluster, jobId, task).state === 'COMPLETED'),
  );
  check(taskOf(cluster, jobId, 2).restarts === 1, 'task 2 was started twice, and all four completed');
  check(linesOf('trials').length === 13, '12 trials in 13 sessions: only the killed one was repeated');
  const merged = must(dir, 'runner', 'eval', 'merge', ...[1, 2, 3, 4].map((task) => `fleet/night/${task}`));
  check(merged === 'merge: batch=night trials=12 added=12 duplicates=0 missing=0', merged);
  must(dir, 'runner', 'eval', 'run', '--repeat', '12', '--jobs', '2', '--batch', 'local');
  const [fleet, local] = [resultOf(dir, 'night'), resultOf(dir, 'local')];
  const hasRate = fleet.includes('"12 fail"') && fleet.includes('"rate":0.83');
  check(fleet === local && hasRate, `the merged result equals the local one: ${fleet}`);
}

function node(id, order, children = []) {
  const text = { title: `Do ${id}`, goal: `${id} is done`, acceptance: [`${id} works`] };
  return { id, order, ...text, passes: false, attempts: 0, max_attempts: 3, children };
}

function makeRun() {
  const dir = path.join(folder, 'project');
  mkdirSync(dir);
  const remote = path.join(folder, 'remote.git');
  must(folder, 'git', 'init', '-q', '--bare', '-b', 'main', remote);
  must(dir, 'git', 'init', '-q', '-b', 'main');
  must(dir, 'git', 'commit', '-q', '--allow-empty', '-m', 'first commit');
  must(dir, 'runner', 'init');
  const agent = `${agentScript('run', `[ "$RUNNER_NODE_ID" = b ]`)}
echo work > "$RUNNER_NODE_ID.txt"
${saysDone}`;
  const config = `[agent]
name = "command"
command = ["sh", "-c", ${JSON.stringify(agent)}]
[guard]
command = ["sh", "-c", "ls *.txt"]
checkout = "off"
# The agent and this script talk through files; the sandbox that comes by itself shows it an empty /tmp.
[sandbox]
write = [${JSON.stringify(marks)}]
`;
  writeFileSync(path.join(dir, '.runner/GOAL.md'), '---\nid: moved\n---\n\n# Three files\n');
  writeFileSync(path.join(dir, '.runner/state/config.toml'), config);
  const leaves = ['a', 'b', 'c'].map((id, order) => node(id, order));
  writeFileSync(path.join(dir, '.runner/state/tree.json'), JSON.stringify(node('root', 0, leaves)));
  must(dir, 'git', 'add', '-A');
  must(dir, 'git', 'commit', '-q', '-m', 'prepare the run');
  must(dir, 'git', 'remote', 'add', 'origin', remote);
  must(dir, 'runner', 'start', '--no-baseline');
  must(dir, 'git', 'push', '-q', 'origin', 'main', 'runner/moved');
  return { dir, remote };
}

async function runStory(cluster) {
  const { dir, remote } = makeRun();
  const jobId = submit(
    cluster,
    dir,
    must(dir, 'runner', 'eval', 'fleet', '--engine', 'slurm', '--run', 'moved'),
  );
  await killAndRequeue(cluster, { name: 'run', jobId, task: 1 });
  await waitFor('end of the run', () => taskOf(cluster, jobId, 1).state === 'COMPLETED');
  const tree = () => must(remote, 'git', 'show', 'runner/moved:.runner/state/tree.json');
  check(
    JSON.parse(tree()).passes,
    'the second worker went on from the pushed branch, and the run is complete',
  );
  const subjects = must(remote, 'git', 'log', '--format=%s', 'runner/moved').split('\n');
  check(
    linesOf('run').length === 4 && subjects.length > 4,
    '3 leaves in 4 sessions: only the killed one was repeated',
  );

  const tip = must(remote, 'git', 'rev-parse', 'runner/moved');
  const first = path.join(dir, 'fleet', 'runs', `moved-${jobId}-0`);
  const back = run(first, 'runner', 'loop', '--push', 'origin');
  check(
    back.code === 1 && back.err.includes('[PUSH_REJECTED]'),
    'the worker that comes back stops at the fence',
  );
  check(linesOf('run').length === 4, 'it paid for no session');
  check(must(remote, 'git', 'rev-parse', 'runner/moved') === tip, 'the pushed branch is as it was');
}

async function main() {
  const reason = whyNot();
  if (reason !== null) return process.stdout.write(`test:slurm: NOT RUN: ${reason}\n`);
  const cluster = await startCluster(folder, env);
  try {
    await evalStory(cluster);
    await runStory(cluster);
    return process.stdout.write('test:slurm: all of it holds\n');
  } catch (error) {
    throw new Error(`${error.message}\n${cluster.call('scontrol', 'show', 'job').out}`, { cause: error });
  } finally {
    await cluster.stop();
  }
}

try {
  await main();
} finally {
  if (process.env.RUNNER_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
}
