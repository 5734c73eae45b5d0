// An agent that prints a gigabyte, against `cat` of the same bytes into a file; and the runner's memory meanwhile.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entry, env, median, runNow } from './measure.mjs';
import { makeProject } from './iteration.mjs';

const answer = '{"status":"done","summary":"flooded","children":null}';

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return 0;
  }
}

async function timeStep(folder) {
  const startedMs = performance.now();
  const child = spawn('node', [entry, 'step', '--quiet'], { cwd: folder, env, stdio: 'ignore' });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 50);
  const code = await new Promise((resolve) => {
    child.on('exit', resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`step ended with ${code}`);
  return { ms: performance.now() - startedMs, peak };
}

export async function measureFlood({ bytes, repeats }) {
  const folder = makeProject('flood', { files: 20, leaves: repeats + 2 });
  const flood = path.join(folder, '..', 'flood.txt');
  writeFileSync(flood, `${'x'.repeat(199)}\n`.repeat(bytes / 200));
  const agent = `#!/bin/sh\necho $$ >> d0/f0.txt\ncat ${flood}\nprintf '%s' '${answer}' > "$RUNNER_OUTPUT"\n`;
  writeFileSync(path.join(folder, 'agent.sh'), agent);
  runNow(['git', 'commit', '-aqm', 'flood'], folder);
  const steps = [];
  const copies = [];
  for (let round = 0; round < repeats; round += 1) {
    const startedMs = performance.now();
    runNow(['sh', '-c', `cat ${flood} > ${flood}.copy && rm ${flood}.copy`], folder);
    copies.push(performance.now() - startedMs);
    steps.push(await timeStep(folder));
  }
  const stepMs = median(steps.map(({ ms }) => ms));
  const catMs = median(copies);
  const peak = Math.max(...steps.map((one) => one.peak));
  return { bytes, cat_ms: catMs, step_ms: stepMs, ratio: stepMs / catMs, peak_mb: Math.round(peak / 1e6) };
}
