// `npm run test:eval`: 40 real runs of an agent that solves its case in 7 of 10 repeats, decided by the number of the repeat. The
// report must say 28 of 40 with the Wilson interval of that, and the run must go on after an interrupt with what is missing.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const repeats = 40;
const successes = 28;
const interruptAfter = 10;
/** Wilson (1927), 28 of 40 at 95 %. */
const interval = { low: 0.5457, high: 0.8193 };
const entry = path.join(import.meta.dirname, '..', '..', 'bin', 'runner.js');
const folder = mkdtempSync(path.join(tmpdir(), 'runner-forty-'));

const agent = `
if [ $((EVAL_REPEAT * 7 % 10)) -lt 7 ]; then echo solved > answer.txt; else echo wrong > answer.txt; fi
printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"
`;

const caseText = `[case]
id = "seven-of-ten"
goal = "Write the word solved to answer.txt."
[config.guard]
command = ["true"]
baseline = false
[agent]
name = "command"
command = ["sh", "-c", ${JSON.stringify(agent)}]
[[checks]]
type = "file_contains"
path = "answer.txt"
text = "solved"
`;

function fail(message) {
  throw new Error(message);
}

function runner(...args) {
  const ran = spawnSync(process.execPath, [entry, 'eval', ...args], { cwd: folder, encoding: 'utf8' });
  if (ran.status !== 0) fail(`runner eval ${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function countDone() {
  const dir = path.join(folder, 'eval/results/seven-of-ten');
  try {
    return readdirSync(dir).filter((name) => readdirSync(path.join(dir, name)).includes('meta.json')).length;
  } catch {
    return 0;
  }
}

async function runInterrupted() {
  const args = ['eval', 'run', '--repeat', String(repeats), '--jobs', '2', '--batch', 'forty', '--quiet'];
  const child = spawn(process.execPath, [entry, ...args], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  while (countDone() < interruptAfter && child.exitCode === null) await sleep(100);
  child.kill('SIGINT');
  const code = await ended;
  if (code !== 130) fail(`the interrupted run ended with ${code}`);
  return countDone();
}

function checkReport() {
  const [{ overall }] = runner('report', 'forty', '--json');
  if (overall.trials !== repeats) fail(`${overall.trials} trials`);
  if (overall.outcomes.success !== successes) fail(`${overall.outcomes.success} successes`);
  if (overall.rate !== successes / repeats) fail(`rate ${overall.rate}`);
  for (const side of ['low', 'high'])
    if (Math.abs(overall.interval[side] - interval[side]) > 0.0001) fail(`${side} ${overall.interval[side]}`);

  return overall;
}

try {
  mkdirSync(path.join(folder, 'eval/cases'), { recursive: true });
  writeFileSync(path.join(folder, 'eval/cases/seven-of-ten.toml'), caseText);
  const before = await runInterrupted();
  const lines = runner('run', '--resume', '--jobs', '2', '--json', '--quiet');
  const resumed = lines.filter(({ event }) => event === 'trial').length;
  if (before + resumed !== repeats) fail(`${before} before and ${resumed} after the interrupt`);
  const { outcomes, interval: found } = checkReport();
  process.stdout.write(
    `test:eval: ${repeats} runs, ${outcomes.success} successes, 95 % from ${found.low.toFixed(4)} to ${found.high.toFixed(4)}, ${before} before an interrupt and ${resumed} after it\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
