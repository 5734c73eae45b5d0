/** One recording: a real CLI, started as the runner starts it, in one case; what it printed, without traces of this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { executorTable } from '../../src/adapters/agents/executors/table.ts';
import { noUserLogin } from '../../src/adapters/agents/executors/spec.ts';
import type { AgentCommand } from '../../src/adapters/agents/executors/spec.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import type { Config } from '../../src/core/types.ts';
import type { RecordedCase, Situation } from './cases.ts';
import { scenarioOf } from './cases.ts';
import type { Pointed, RealAgent } from './catalogue.ts';
import { agentProgram } from './install.ts';
import type { ModelServer } from './model-server.ts';
import { startModelServer } from './model-server.ts';

export interface Recording {
  /** How it was started, and the variables the runner set for it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
  /** What it left in the answer file; null when it left none. */
  readonly answer: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The session had to be ended. */
  readonly isEndedByUs: boolean;
  readonly requests: number;
  readonly port: number;
  readonly secs: number;
  readonly startedAt: string;
}

interface Folders {
  readonly root: string;
  readonly base: string;
  readonly dir: string;
  readonly home: string;
  readonly ownDir: string;
}

/** More requests than any CLI makes that ever gives up. */
const turnsMax = 60;
const secsMax = 300;

/** `base` is made and removed. */
export async function record(
  root: string,
  base: string,
  agent: RealAgent,
  recorded: RecordedCase,
): Promise<Recording> {
  const folders = { root, base, dir: `${base}/project`, home: `${base}/home`, ownDir: `${base}/own` };
  const situation: Situation = { ...folders, agent: agent.name, nowSecs: Math.floor(Date.now() / 1000) };
  rmSync(base, { recursive: true, force: true });
  for (const folder of [folders.dir, folders.home, folders.ownDir, `${base}/tmp`])
    mkdirSync(folder, { recursive: true });
  const server = await startModelServer(scenarioOf(recorded, situation));
  try {
    const isLoggedOut = recorded.isLoggedOut === true;
    const pointed = agent.point({ url: server.url, home: folders.home, isLoggedOut });
    if (recorded.isRefused === true) await server.close();
    put(folders.home, pointed.files);
    put(folders.ownDir, recorded.ownFiles ?? {});
    put(folders.dir, { 'a.txt': 'a\n', 'AGENTS.md': 'Be brief.\n', ...recorded.files });
    spawnSync('git', ['init', '-q'], { cwd: folders.dir });
    const command = commandOf(agent, recorded, { situation, folders, pointed });
    const env = { ...pointed.env, ...command.env, ...recorded.env };
    return await run({ command, env, folders, recorded, server });
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function commandOf(
  agent: RealAgent,
  recorded: RecordedCase,
  { situation, folders, pointed }: { situation: Situation; folders: Folders; pointed: Pointed },
): AgentCommand {
  const { root, dir, ownDir } = folders;
  const schemaText = readFileSync(path.join(root, 'schemas/agent_output/v1.schema.json'), 'utf8');
  const schemaFile = `${ownDir}/schema.json`;
  writeFileSync(schemaFile, schemaText);
  const command = executorTable('')[agent.name].command({
    config: configOf(
      agent,
      recorded,
      [...pointed.args, ...(recorded.args?.(situation) ?? [])],
      pointed.model,
    ),
    role: recorded.role ?? 'agent',
    program: agentProgram(root, agent),
    projectDir: dir,
    isContained: false,
    ownDir,
    answerFile: `${ownDir}/answer.txt`,
    schemaFile,
    schemaText,
    session: 1,
    login: noUserLogin,
    userEnv: {},
  });
  for (const { path: file, text } of command.files ?? []) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return command;
}

function configOf(
  { name }: RealAgent,
  { permissions }: RecordedCase,
  extra_args: readonly string[],
  model: string,
): Config {
  const mode = permissions ?? (name === 'codex' ? 'full' : undefined);
  const agent = { name, model, extra_args, ...(mode === undefined ? {} : { permissions: mode }) };
  const parsed = parseConfig({ agent, guard: { command: ['true'] } });
  if (!parsed.ok) throw new Error(`no config for ${name}: ${JSON.stringify(parsed)}`);
  return parsed.config;
}

interface Start {
  readonly command: AgentCommand;
  readonly env: Readonly<Record<string, string>>;
  readonly folders: Folders;
  readonly recorded: RecordedCase;
  readonly server: ModelServer;
}

async function run({ command, env, folders, recorded, server }: Start): Promise<Recording> {
  const { base, dir, home, ownDir } = folders;
  const [program = '', ...args] = command.argv;
  writeFileSync(`${base}/prompt.txt`, 'Do the next task and answer as JSON.\n');
  const files = [
    openSync(`${base}/prompt.txt`, 'r'),
    openSync(`${base}/stdout`, 'w'),
    openSync(`${base}/stderr`, 'w'),
  ];
  const usual = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TZ: 'UTC', TMPDIR: `${base}/tmp` };
  const startMs = Date.now();
  const child = spawn(program, args, {
    cwd: dir,
    env: { ...usual, HOME: home, ...env },
    stdio: [files[0], files[1], files[2]],
    detached: true,
  });
  for (const file of files) closeSync(file);
  const pid = child.pid ?? 0;
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  const limit = endWhenNeeded(pid, recorded, server);
  const [exitCode, signal] = await ended;
  const secs = (Date.now() - startMs) / 1000;
  const isEndedByUs = limit.stop();
  signalGroup(pid, 'SIGKILL');
  const isDropped = recorded.isOutputDropped === true;
  const answerFile = `${ownDir}/answer.txt`;
  return {
    argv: command.argv,
    env: command.env,
    stdout: isDropped ? describeSize(`${base}/stdout`) : readFileSync(`${base}/stdout`, 'utf8'),
    stderr: isDropped ? describeSize(`${base}/stderr`) : readFileSync(`${base}/stderr`, 'utf8'),
    answer: existsSync(answerFile) && !isDropped ? readFileSync(answerFile, 'utf8') : null,
    exitCode,
    signal,
    isEndedByUs,
    requests: server.requests.filter(({ kind }) => kind === 'turn').length,
    port: server.port,
    secs,
    startedAt: new Date(startMs).toISOString(),
  };
}

function describeSize(file: string): string {
  return `${statSync(file).size} bytes\n`;
}

/** Ends what waits or spins for ever, as the runner would. `stop` tells whether that was needed. */
function endWhenNeeded(
  pid: number,
  { endAfterSecs, endAfterTurns = turnsMax }: RecordedCase,
  server: ModelServer,
): { stop: () => boolean } {
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
    signalGroup(pid, 'SIGTERM');
    timers.push(setTimeout(() => signalGroup(pid, 'SIGKILL'), 10_000));
  };
  const timers = [setTimeout(end, secsMax * 1000)];
  void server.waitForTurns(endAfterTurns).then(end);
  if (endAfterSecs !== undefined)
    void server.waitForTurns(1).then(() => timers.push(setTimeout(end, endAfterSecs * 1000)));

  return {
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      return isEnded;
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
