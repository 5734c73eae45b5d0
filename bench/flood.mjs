// An agent that prints a gigabyte, against `cat` of the same bytes into a file; and the runner's memory meanwhile.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { entry, env, median, runNow } from './measure.mjs';
import { makeProject } from './iteration.mjs';

const answer = '{"status":"done","summary":"flooded","children":null}';
const message = (text) =>
  JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } });

/** Words of a program, and records as codex prints them: 200 bytes a line, line end included. */
const forms = {
  plain: {
    line: 'x'.repeat(199),
    config: 'name = "command"\ncommand = ["./agent.sh"]',
    end: `printf '%s' '${answer}' > "$RUNNER_OUTPUT"`,
  },
  json: {
    line: message('x'.repeat(199 - message('').length)),
    config: 'name = "codex"\nbin = "./agent.sh"\npermissions = "full"',
    end: `cat <<'END'\n${message(answer)}\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\nEND`,
  },
};

/** A text of that length would be longer than Node's strings can be. */
function writeFlood(file, line, bytes) {
  const block = Buffer.from(`${line}\n`.repeat(5000));
  const handle = openSync(file, 'w');
  for (let written = 0; written < bytes; written += block.length) writeSync(handle, block);
  closeSync(handle);
}

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

async function measureForm({ line, config, end }, { bytes, repeats }) {
  const folder = makeProject('flood', { files: 20, leaves: 2 * repeats + 2 });
  const flood = path.join(folder, '..', 'flood.txt');
  writeFlood(flood, line, bytes);
  const agent = `#!/bin/sh
[ "$1" != --version ] || { echo codex-cli 0.166.0; exit; }
echo $$ >> d0/f0.txt
[ -e .git/silent ] || cat ${flood}
${end}
`;
  writeFileSync(path.join(folder, 'agent.sh'), agent);
  const file = path.join(folder, '.runner/state/config.toml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(forms.plain.config, config));
  runNow(['git', 'commit', '-aqm', 'flood'], folder);
  const steps = [];
  const silent = [];
  const copies = [];
  for (let round = 0; round < repeats; round += 1) {
    const startedMs = performance.now();
    runNow(['sh', '-c', `cat ${flood} > ${flood}.copy`], folder);
    copies.push(performance.now() - startedMs);
    rmSync(`${flood}.copy`);
    writeFileSync(path.join(folder, '.git/silent'), '');
    silent.push(await timeStep(folder));
    rmSync(path.join(folder, '.git/silent'));
    steps.push(await timeStep(folder));
  }
  rmSync(flood);
  const [stepMs, silentMs] = [steps, silent].map((all) => median(all.map(({ ms }) => ms)));
  const catMs = median(copies);
  const peak = Math.max(...steps.map((one) => one.peak));
  return {
    bytes,
    cat_ms: catMs,
    step_ms: stepMs,
    silent_step_ms: silentMs,
    ratio: (stepMs - silentMs) / catMs,
    whole_ratio: stepMs / catMs,
    peak_mb: Math.round(peak / 1e6),
  };
}

export async function measureFlood(size) {
  return { plain: await measureForm(forms.plain, size), json: await measureForm(forms.json, size) };
}
