// What a person waits for after `runner loop`: its first line, and the start of the agent; and how often git is started before.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { loopOf, makeProject, writeProgram } from './iteration.mjs';
import { countingGit, entry, env, git, makeFolder, median } from './measure.mjs';

/** Besides its work it leaves the moment of its start, and a line among the calls of git. */
function writeAgent(folder, { started, calls }) {
  const script = `#!/bin/bash
echo "$EPOCHREALTIME" > '${started}'
echo agent >> '${calls}'
echo "$RUNNER_ITER $$" >> d0/f0.txt
printf '{"status":"done","summary":"made it","children":null}' > "$RUNNER_OUTPUT"
`;
  writeProgram(folder, 'agent.sh', script);
  git(folder, 'commit', '-aqm', 'agent');
}

/** Milliseconds from the start of one iteration to the first line on stderr and to the start of the agent. */
async function timeStart({ folder, started }, given = {}) {
  const args = [entry, ...loopOf(folder, 1)];
  const startedMs = performance.timeOrigin + performance.now();
  const child = spawn('node', args, {
    cwd: folder,
    env: { ...env, ...given },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let lineMs = null;
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    lineMs ??= performance.timeOrigin + performance.now();
    errors += text;
  });
  await new Promise((resolve) => {
    child.on('close', resolve);
  });
  if (!errors.includes('[ITERATION_LIMIT]')) throw new Error(`not one iteration: ${errors}`);
  const agentMs = Number(readFileSync(started, 'utf8')) * 1000;
  rmSync(started);
  return { first_line_ms: lineMs - startedMs, agent_ms: agentMs - startedMs };
}

function prepare(files, repeats) {
  const folder = makeProject(`first-${files}`, { files, leaves: repeats + 5 });
  const counting = countingGit();
  const started = path.join(makeFolder('started'), 'at');
  writeAgent(folder, { started, calls: counting.file });
  return { files, folder, counting, started };
}

async function timeCounted(project) {
  const { counting } = project;
  const before = counting.calls().length;
  const times = await timeStart(project, counting.env);
  return { ...times, git_processes: counting.calls().slice(before).indexOf('agent') };
}

/** The sizes in turns. `fresh` is the first iteration of a run; the counting takes a millisecond or two of each git in it. */
export async function measureFirstLine({ sizes, repeats }) {
  const projects = sizes.map((files) => prepare(files, repeats));
  const fresh = [];
  for (const project of projects) fresh.push(await timeCounted(project));
  const times = projects.map(() => []);
  for (let round = 0; round < repeats; round += 1)
    for (const [at, project] of projects.entries()) times[at].push(await timeStart(project));

  const rows = [];
  for (const [at, project] of projects.entries()) {
    rows.push({
      files: project.files,
      first_line_ms: median(times[at].map(({ first_line_ms }) => first_line_ms)),
      agent_ms: median(times[at].map(({ agent_ms }) => agent_ms)),
      git_processes: (await timeCounted(project)).git_processes,
      fresh: fresh[at],
    });
  }
  return { rows };
}
