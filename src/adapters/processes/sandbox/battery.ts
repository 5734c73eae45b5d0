/**
 * The battery of `runner doctor --sandbox` (§13.8): every way out is tried for real, with the arguments of a session, in folders made for
 * it. What counts is what is found outside afterwards.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeNames, judgeEscape } from '../../../core/sandbox/sandbox-battery.ts';
import type { EscapeName, EscapeResult } from '../../../core/sandbox/sandbox-battery.ts';
import { defaultConfig } from '../../../core/config/default-config.ts';
import type { Env } from '../../../core/types.ts';
import { privateLayout } from '../../files/layout.ts';
import { realPath } from '../../files/look-at.ts';
import { stateHome } from '../../files/state-home.ts';
import { openInput } from '../output-files.ts';
import { signalProcess } from '../sweep.ts';
import { plainSandbox } from './bwrap.ts';
import { tokenFolder } from './escape.ts';
import type { EscapeTarget } from './escape.ts';
import type { Sandbox, SandboxOptions } from './sandbox.ts';

export interface BatteryOptions {
  readonly env: Env;
  readonly entryFile: string | null;
  readonly names?: readonly EscapeName[];
  /** Makes what the programs run in. */
  readonly sandboxOf: (options: SandboxOptions) => Sandbox;
}

const tryMs = 60_000;
const namespaceEndMs = 5000;

/** Throws SANDBOX_MISSING. */
export async function runBattery(options: BatteryOptions): Promise<readonly EscapeResult[]> {
  const world = await openWorld(options.env);
  try {
    const results: EscapeResult[] = [];
    for (const name of options.names ?? escapeNames) results.push(await tryOne(options, world, name));
    return results;
  } finally {
    world.close();
  }
}

interface World {
  readonly base: string;
  readonly env: Env;
  readonly target: EscapeTarget;
  /** Whether a connection came through server or sockets since it was last asked. */
  wasReached(): boolean;
  close(): void;
}

async function openWorld(user: Env): Promise<World> {
  const state = stateHome(user);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const base = realPath(mkdtempSync(join(state, 'battery-')));
  const at = (...names: readonly string[]): string => join(base, ...names);
  const word = `canary${randomBytes(8).toString('hex')}`;
  for (const folder of [
    'home/.ssh',
    'home/.local/state',
    `home/${tokenFolder}`,
    'work/.git/hooks',
    'outside',
  ])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('home', tokenFolder, 'npmrc'), word);
  writeFileSync(at('home/canary'), word);
  writeFileSync(at('home/.ssh/id_canary'), word);
  writeFileSync(at('work/.git/config'), '[core]\n');
  let reached = false;
  const onReach = (): void => {
    reached = true;
  };
  const servers = await Promise.all([
    listen(onReach, { port: 0, host: '127.0.0.1' }),
    listen(onReach, { path: at('outside/socket') }),
    listen(onReach, { path: `\0${word}` }),
  ]);
  const address = servers[0]?.address();
  const { execa } = await import('execa');
  const victim = execa('sleep', ['3600'], {
    argv0: word,
    env: { CANARY: word },
    stdin: 'ignore',
    reject: false,
    detached: true,
  });
  const { HOME: _home, XDG_STATE_HOME: _state, XDG_CONFIG_HOME: _config, ...rest } = user;
  return {
    base,
    env: { ...rest, HOME: at('home') },
    target: {
      outside: at('outside'),
      work: at('work'),
      home: at('home'),
      input: at('input'),
      pid: victim.pid ?? 0,
      word,
      port: typeof address === 'object' ? (address?.port ?? 0) : 0,
      socket: at('outside/socket'),
    },
    wasReached: () => {
      const was = reached;
      reached = false;
      return was;
    },
    close: () => {
      servers.forEach((server) => server.close());
      victim.kill('SIGKILL');
      endLeft(word);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function listen(
  onReach: () => void,
  place: { readonly path: string } | { readonly port: number; readonly host: string },
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      onReach();
      socket.on('error', () => undefined).end();
    });
    server.on('error', reject).listen(place, () => resolve(server));
  });
}

async function tryOne(options: BatteryOptions, world: World, name: EscapeName): Promise<EscapeResult> {
  const { target, env } = world;
  const { entryFile, sandboxOf } = options;
  const program = entryFile === null ? [process.execPath] : [process.execPath, entryFile];
  const read = [
    target.outside,
    realPath(process.execPath),
    ...(entryFile === null ? [] : [dirname(dirname(realPath(entryFile)))]),
  ];
  const config = plainSandbox(defaultConfig, read);
  const own = privateLayout(join(target.work, '.git'));
  const box = sandboxOf({
    own,
    top: target.work,
    commonDir: own.gitDir,
    repository: 'battery',
    env,
    entryFile,
  });
  // Only there it is a session that tries.
  const role = name === 'caches' ? 'agent' : 'guard';
  const opened = await box.open({ config, role, run_id: 'battery', clone: null });
  writeFileSync(target.input, '');
  const stdin = openInput(target.input);
  try {
    const { execa } = await import('execa');
    const inner = [...program, 'try-escape', name, JSON.stringify(target)];
    const { PATH = '' } = env;
    const enclosed = opened.enclose({
      argv: inner,
      cwd: target.work,
      env: { PATH, HOME: target.home },
      cookie: '',
      hasInput: true,
    });
    const [first = '', ...args] = enclosed.argv;
    const { stdout, exitCode } = await execa(first, args, {
      env: { ...enclosed.env },
      extendEnv: false,
      stdio: [stdin as 0, 'pipe', 'pipe', ...enclosed.files.map((fd) => fd as 3)],
      reject: false,
      timeout: tryMs,
    });
    if (name === 'left_behind') await waitForEnd(target.word);
    return judgeEscape(name, { said: exitCode === 0 ? stdout : null, seen: lookOutside(world, name) });
  } finally {
    closeSync(stdin);
    await opened.close();
  }
}

/** What got out, whatever the program inside says. */
function lookOutside(world: World, name: EscapeName): string | null {
  const { outside, work, home, word, input } = world.target;
  const isReached = world.wasReached();
  const planted = [
    join(outside, word),
    join(outside, 'remounted'),
    `/${word}`,
    `/etc/${word}`,
    `/usr/${word}`,
    join(home, 'planted'),
  ];
  const found = planted.find((path) => existsSync(path));
  if (found !== undefined) {
    rmSync(found, { force: true });
    return `${found} was written`;
  }
  if (name === 'git_folder' && readGit(work) !== '[core]\n config,hooks ') return '.git was changed';
  if (name === 'descriptors' && existsSync(input)) return 'the file it reads can be written';
  if (name === 'caches' && isInCaches(world)) return 'a file is in them';
  if (isReached) return 'a connection came through';
  if (name === 'left_behind' && listLeft(word).length > 0) return 'a process lives on';
  return null;
}

function isInCaches({ env, target: { word } }: World): boolean {
  const names = readdirSync(join(stateHome(env), 'caches'), { encoding: 'utf8', recursive: true });
  return names.some((name) => name.includes('/check/') && name.endsWith(word));
}

function readGit(work: string): string {
  try {
    const folder = join(work, '.git');
    const names = readdirSync(folder)
      .filter((name) => name !== 'runner')
      .toSorted();
    return `${readFileSync(join(folder, 'config'), 'utf8')} ${names.join(',')} ${readdirSync(join(folder, 'hooks')).join(',')}`;
  } catch {
    return '';
  }
}

function listLeft(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`: ${word}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Bubblewrap ends a moment before its namespace does. What got out of it lives on for much longer. */
async function waitForEnd(word: string): Promise<void> {
  const endMs = performance.now() + namespaceEndMs;
  while (listLeft(word).length > 0 && performance.now() < endMs) await sleep(10);
}

function endLeft(word: string): void {
  for (const pid of listLeft(word)) signalProcess(pid, 'SIGKILL');
}
