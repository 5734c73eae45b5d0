/**
 * `record [name...] [case...]`: records the real CLIs anew. Each CLI is recorded in a namespace of its own, two at once, so
 * that every name it looks up can be laid at its door.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkSize, renderAnonymous } from './anonymous.ts';
import { casesOf, recordedCases } from './cases.ts';
import type { RecordedCase } from './cases.ts';
import type { RealAgent } from './catalogue.ts';
import { agentId, selectAgents } from './catalogue.ts';
import { installAgent } from './install.ts';
import { loadLookups, lookupsVariable, namespaceWords, runOffline } from './network.ts';
import type { Recording } from './recording.ts';
import { record } from './recording.ts';
import type { RecordedSession } from './recording-file.ts';
import { fileBytesMax, recordingPath, renderRecording } from './recording-file.ts';

const root = `${process.cwd()}/`;
const inside = '--inside-the-namespace';
const worker = '--worker';

const [mode = '', ...rest] = process.argv.slice(2);
const self = [process.execPath, process.argv[1] ?? ''] as const;

if (mode === inside) {
  const [file = '', ...words] = rest;
  process.exitCode = await runOffline([...self, worker, ...words], file);
} else if (mode === worker) {
  await recordAll(rest);
} else {
  await recordSelected(process.argv.slice(2));
}

async function recordSelected(words: readonly string[]): Promise<void> {
  const caseNames = new Set(recordedCases.map(({ name }) => name));
  const cases = words.filter((word) => caseNames.has(word));
  const queue = [...selectAgents(words.filter((word) => !caseNames.has(word)))];
  for (const agent of queue) await installAgent(root, agent);
  const work = async (): Promise<void> => {
    for (let agent = queue.shift(); agent !== undefined; agent = queue.shift())
      await recordInNamespace(agent, cases);
  };
  await Promise.all([work(), work()]);
}

async function recordInNamespace(agent: RealAgent, cases: readonly string[]): Promise<void> {
  const folder = path.join(root, '.cache', 'agents-record');
  mkdirSync(folder, { recursive: true });
  const base = mkdtempSync(path.join(folder, `${agent.name}-`));
  const [unshare = '', ...words] = namespaceWords();
  const args = [...words, ...self, inside, `${base}/names`, agentId(agent), `${base}/case`, ...cases];
  const child = spawn(unshare, args, { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  rmSync(base, { recursive: true, force: true });
  if (code !== 0) process.exitCode = 1;
}

async function recordAll([id = '', base = '', ...names]: readonly string[]): Promise<void> {
  const [agent] = selectAgents([id]);
  if (agent === undefined) throw new Error(`no agent ${id}`);
  const chosen = casesOf(agent.name).filter(({ name }) => names.length === 0 || names.includes(name));
  for (const recorded of chosen) {
    truncateSync(process.env[lookupsVariable] ?? '', 0);
    const recording = await record(root, base, agent, recorded);
    save({ agent, recorded, recording, base, lookups: loadLookups() });
  }
}

interface Saved {
  readonly agent: RealAgent;
  readonly recorded: RecordedCase;
  readonly recording: Recording;
  readonly base: string;
  readonly lookups: readonly string[];
}

function save({ agent, recorded, recording, base, lookups }: Saved): void {
  const session: RecordedSession = {
    cli: agent.name,
    version: agent.version,
    case: recorded.name,
    exit_code: recording.exitCode,
    signal: recording.signal,
    ended_by: recording.isEndedByUs ? 'us' : 'itself',
    requests: recording.requests,
    started_at: recording.startedAt,
    lookups,
    argv: recording.argv,
    env: recording.env,
    note: recorded.isOutputDropped === true ? 'the output is not kept; its size is' : null,
    stdout: recording.stdout,
    stderr: recording.stderr,
    answer: recording.answer,
  };
  const text = renderAnonymous(renderRecording(session), { root, base, port: recording.port });
  const problem = checkSize(text, fileBytesMax);
  if (problem !== null) console.error(`${agentId(agent)} ${recorded.name}: ${problem}`);
  const file = recordingPath(agentId(agent), recorded.name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  const shown = `${recording.exitCode ?? recording.signal} ${session.ended_by}, ${recording.requests} requests`;
  const names = lookups.length === 0 ? '' : `, looked up ${lookups.join(' ')}`;
  console.log(`${agentId(agent)} ${recorded.name}: ${shown}, ${recording.secs.toFixed(1)} s${names}`);
}
