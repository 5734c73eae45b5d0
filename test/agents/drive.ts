/**
 * One real CLI with a project, a home folder and a scripted model of its own, driven through the built runner as a person would.
 * Everything lives in one throw-away folder; a process that is left over is found by it and ended.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { RunState, TreeNode } from '../../src/core/types.ts';
import { cleanEnv, entryFile, repositoryRoot } from '../support/project.ts';
import type { RealAgent } from './catalogue.ts';
import { agentProgram } from './install.ts';
import { mergeFiles } from './merge-files.ts';
import { startModelServer } from './model-server.ts';
import type { ModelServer } from './model-server.ts';
import { tracesFolder } from './planted.ts';
import type { Scenario } from './scenario.ts';

export interface DriveOptions {
  /** What the model says; it is told the project folder. */
  readonly scenario: (dir: string) => Scenario;
  /** Settings of `config.toml` before its sections; the agent's own are added. */
  readonly top?: Readonly<Record<string, unknown>>;
  readonly agent?: Readonly<Record<string, unknown>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly guard?: readonly string[];
  /** None when left out: the rows of the model service are about the CLI alone. */
  readonly sandbox?: 'none' | 'bwrap';
  /** Files of the project's first commit. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files below the home folder, joined with those that point the CLI at the model. */
  readonly homeFiles?: (base: string, url: string) => Readonly<Record<string, string>>;
  /** The model's port refuses every connection. */
  readonly isRefused?: boolean;
  readonly isLoggedOut?: boolean;
  /** Variables of the runner beyond the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly secs: number;
}

export interface Running {
  readonly pid: number;
  readonly done: Promise<Ran>;
  /** Resolves with stderr once it has this text. */
  readonly waitForErr: (text: string) => Promise<void>;
}

export type Drive = Awaited<ReturnType<typeof openDrive>>;

/** Where the runner under test is; another copy of it only while the tests are being written. */
const entry = process.env['RUNNER_TEST_ENTRY'] ?? entryFile;

export async function withDrive<T>(
  agent: RealAgent,
  options: DriveOptions,
  use: (drive: Drive) => Promise<T>,
): Promise<T> {
  const drive = await openDrive(agent, options);
  try {
    return await use(drive);
  } finally {
    await drive.close();
  }
}

async function openDrive(agent: RealAgent, options: DriveOptions) {
  // Not in memory: below /dev a sandbox of a CLI has folders of its own.
  const base = realpathSync(mkdtempSync(path.join('/tmp', `runner-${agent.name}-`)));
  const [dir, home] = [path.join(base, 'repo'), path.join(base, 'home')];
  const server = await startModelServer(options.scenario(dir));
  const pointed = agent.point({
    url: server.url,
    home,
    isLoggedOut: options.isLoggedOut === true,
    isContained: options.sandbox === 'bwrap',
  });
  if (options.isRefused === true) await server.close();
  for (const [file, text] of Object.entries(
    mergeFiles(pointed.files, options.homeFiles?.(base, server.url) ?? {}),
  ))
    put(home, file, text);

  // Codex makes no sandbox helper in a home below the folder for temporary files.
  const TMPDIR = path.join(base, 'tmp');
  mkdirSync(TMPDIR);
  mkdirSync(tracesFolder(base));
  const env = cleanEnv(home, { TMPDIR, ...pointed.env, ...options.env });
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: dir,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  const start = (
    args: readonly string[],
    timeoutSecs = 120,
    more: Readonly<Record<string, string>> = {},
  ): Running => runRunner({ dir, env: { ...env, ...more }, args, timeoutSecs });
  const read = (file: string): string => readFileSync(path.join(dir, file), 'utf8');
  const log = (iter: number, name: string): string => read(`.runner/iterations/test/${iter}/${name}`);
  const drive = {
    agent,
    server,
    base,
    dir,
    home,
    git,
    read,
    log,
    start,
    run: (...args: readonly string[]): Promise<Ran> => start(args).done,
    tree: () => JSON.parse(read('.runner/state/tree.json')) as TreeNode,
    runState: () => JSON.parse(read('.runner/state/run_state.json')) as RunState,
    meta: (iter: number) => JSON.parse(log(iter, 'meta.json')) as Record<string, unknown>,
    events: (iter: number) => parseLines(log(iter, 'events.jsonl')),
    subjects: () => git('log', '--format=%s').split('\n'),
    /** Processes that have to do with this folder, as text. */
    leftovers: (): readonly string[] => listProcesses(base).map(({ line }) => line),
    close: () => closeDrive({ base, server }),
  };
  const model = { name: agent.name, bin: agentProgram(repositoryRoot, agent), model: pointed.model };
  const settings = { ...model, extra_args: pointed.args, ...options.agent };
  await begin(drive, { ...options, agent: settings });
  return drive;
}

function put(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

/** A started run `test` on branch `runner/test`. */
async function begin(
  drive: Pick<Drive, 'base' | 'dir' | 'home' | 'git' | 'run'>,
  options: DriveOptions,
): Promise<void> {
  const { dir, git } = drive;
  mkdirSync(dir, { recursive: true });
  mkdirSync(drive.home, { recursive: true });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test Person');
  git('config', 'user.email', 'person@test.invalid');
  for (const [file, text] of Object.entries({ 'README.md': '# test\n', ...options.files }))
    put(dir, file, text);
  git('add', '-A');
  git('commit', '-q', '-m', 'first commit');
  await succeed(drive.run('init'));
  put(dir, '.runner/GOAL.md', '---\nid: test\n---\n\n# Goal\n\nMake it work.\n');
  put(dir, '.runner/state/config.toml', renderConfig(drive.base, options));
  git('add', '-A');
  git('commit', '-q', '-m', 'prepare the run');
  await succeed(drive.run('start'));
}

async function succeed(running: Promise<Ran>): Promise<void> {
  const { code, err } = await running;
  if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
}

function renderConfig(base: string, options: DriveOptions): string {
  const { top = {}, agent = {}, limits = {}, guard = ['true'], sandbox: kind = 'none' } = options;
  const lines = (table: Readonly<Record<string, unknown>>): string[] =>
    Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [
    ...lines(top),
    '[agent]',
    ...lines(agent),
    '[limits]',
    ...lines(limits),
    '[guard]',
    ...lines({ command: guard }),
    '[sandbox]',
    // The CLIs are in the checkout, which may be below HOME or /tmp. What is planted could leave no trace inside, whether it runs or not.
    ...lines(
      kind === 'none'
        ? { kind }
        : { kind, read: [path.join(repositoryRoot, '.cache/agents')], write: [tracesFolder(base)] },
    ),
    '',
  ].join('\n');
}

function parseLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

interface RunRequest {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly timeoutSecs: number;
}

/** A runner that is not through after the time is killed, and that is an error: every case has to end by itself. */
function runRunner({ dir, env, args, timeoutSecs }: RunRequest): Running {
  const startMs = performance.now();
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const wake = (): void => {
    for (const waiter of waiting) if (said.err.includes(waiter.text)) waiter.resolve();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
    wake();
  });
  const done = new Promise<Ran>((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, timeoutSecs * 1000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      const secs = (performance.now() - startMs) / 1000;
      if (isLate)
        reject(new Error(`runner ${args.join(' ')} did not end within ${timeoutSecs} s: ${said.err}`));
      else resolve({ code, ...said, secs });
    });
  });
  const waitForErr = async (text: string): Promise<void> => {
    const found = new Promise<void>((resolve) => {
      waiting.push({ text, resolve });
      wake();
    });
    await Promise.race([found, done]);
    if (!said.err.includes(text)) throw new Error(`ended without saying "${text}": ${said.err}`);
  };
  return { pid: child.pid ?? 0, done, waitForErr };
}

/** Every process whose environment, arguments or working folder names the folder; zombies are none. */
function listProcesses(base: string): readonly { readonly pid: number; readonly line: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const command = readProc(name, 'cmdline');
      const said = [readProc(name, 'environ'), command, readWorkingFolder(name)];
      const isOurs = command !== '' && said.some((text) => text.includes(base));
      return isOurs
        ? [{ pid: Number(name), line: `${name} ${command.replaceAll('\0', ' ').slice(0, 200)}` }]
        : [];
    });
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function readWorkingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

async function closeDrive({ base, server }: { base: string; server: ModelServer }): Promise<void> {
  for (const { pid } of listProcesses(base)) process.kill(pid, 'SIGKILL');
  await server.close();
  if (process.env['RUNNER_KEEP'] === undefined) rmSync(base, { recursive: true, force: true, maxRetries: 5 });
}
