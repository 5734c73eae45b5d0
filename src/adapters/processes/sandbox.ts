/**
 * What keeps the programs of a session apart (§13.8): opened for each of them, closed behind it. The rules are in
 * core/agents/sandbox.ts; `kind = "none"` opens nothing.
 */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import {
  dockerArguments,
  findStartError,
  isBelow,
  listInside,
  networkOf,
  pathInside,
  planMounts,
} from '../../core/agents/sandbox.ts';
import type { Mount, SandboxPolicy, SandboxRole } from '../../core/agents/sandbox.ts';
import { assert } from '../../core/errors.ts';
import type { Config } from '../../core/types.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { docker, missing } from './docker.ts';
import type { Docker, ImageFacts } from './docker.ts';
import type { Enclosure } from './enclosure.ts';
import { findProgram } from './program-path.ts';
import { hasFolder, makeFolder, removeFolder, removeLogins, sandboxFolder } from './sandbox-folder.ts';
import type { SandboxFolder } from './sandbox-folder.ts';
import type { Env } from './session-env.ts';

export interface SandboxOptions {
  readonly own: PrivateLayout;
  /** Top of the work tree. */
  readonly top: string;
  /** The git folder that all work trees share. */
  readonly commonDir: string;
  /** Name of the repository, a label of its containers. */
  readonly repository: string;
  readonly env: Env;
}

export interface SandboxRequest {
  readonly config: Config;
  readonly role: SandboxRole;
  readonly run_id: string;
  /** Top of the judge's clone, where it runs there; null: in the work tree. */
  readonly clone: string | null;
  /** Login files that are copied in. */
  readonly logins?: readonly string[];
}

export interface OpenSandbox extends Enclosure {
  /** Where it finds the schema and leaves its answer. */
  readonly folder: SandboxFolder;
  /** Contract: nothing of it is left on disk. */
  close(): void;
}

export interface Sandbox {
  /** Contract: throws SANDBOX_MISSING when the settings ask for one that cannot be had. */
  check(config: Config): Promise<void>;
  /** Contract: whether a program by a plain name is there inside. */
  hasProgram(config: Config, name: string): Promise<boolean>;
  /** Contract: what `<program> --version` prints inside; null: nothing. */
  loadVersion(config: Config, program: string): Promise<string | null>;
  open(request: SandboxRequest): Promise<OpenSandbox>;
  /** Where a session that crashed left its answer; null: there was none in a sandbox. */
  findFolder(): SandboxFolder | null;
  /** Contract: nothing with this cookie runs inside, also after a crash. */
  end(cookie: string): Promise<void>;
}

/** A plain name is looked for in the image; a path leads to the same file inside and outside. */
export function isFromImage({ sandbox: { kind } }: Config, program: string): boolean {
  return kind !== 'none' && !program.includes('/');
}

export const imageHint =
  'add it to the image, or mount it: put its folder on PATH and into sandbox.read in .runner/state/config.toml';

/** Null: the settings ask for none. */
export async function openSandbox(
  box: Sandbox | undefined,
  request: SandboxRequest,
): Promise<OpenSandbox | null> {
  if (request.config.sandbox.kind === 'none') return null;
  assert(box !== undefined, 'a program that belongs into a sandbox is started with one');
  return box.open(request);
}

export function sandbox(options: SandboxOptions): Sandbox {
  const engine = docker(options.env);
  const folder = sandboxFolder(options.env, options);
  const images = new Map<string, Promise<ImageFacts>>();
  const inspect = (config: Config): Promise<ImageFacts> => {
    const { image } = config.sandbox;
    const facts = images.get(image) ?? engine.inspect(image);
    images.set(image, facts);
    return facts;
  };
  // Asked before every iteration, and each answer takes a container.
  const found = new Set<string>();
  const box: Box = { options, engine, folder, inspect };
  return {
    check: async (config) => {
      if (config.sandbox.kind === 'none') return;
      checkPaths(config, options.env);
      await inspect(config);
    },
    hasProgram: async (config, name) => {
      const key = `${config.sandbox.image} ${name}`;
      const isThere = found.has(key) || (await ask(box, config, findWords(name))) !== null;
      if (isThere) found.add(key);
      return isThere;
    },
    loadVersion: (config, program) => ask(box, config, [program, '--version']),
    open: (request) => open(box, request),
    findFolder: () => (hasFolder(folder) ? folder : null),
    end: async (cookie) => {
      // Only a session in a sandbox leaves this folder behind; without docker there is no container either.
      if (
        !hasFolder(folder) ||
        (await findProgram('docker', { cwd: '/', pathEnv: options.env['PATH'] })) === null
      )
        return;
      await engine.end(containerName(cookie));
      removeLogins(folder);
    },
  };
}

function findWords(name: string): readonly string[] {
  return ['sh', '-c', 'command -v -- "$1"', 'sh', name];
}

interface Box {
  readonly options: SandboxOptions;
  readonly engine: Docker;
  readonly folder: SandboxFolder;
  readonly inspect: (config: Config) => Promise<ImageFacts>;
}

function containerName(cookie: string): string {
  return `runner-${cookie}`;
}

function homeOf(env: Env): string {
  const home = env['HOME'] ?? '';
  return home === '' ? homedir() : home;
}

function expand(paths: readonly string[], env: Env): readonly string[] {
  return paths.map((path) => path.replace(/^~(?=\/|$)/, () => homeOf(env)).replace(/(?<=.)\/+$/, ''));
}

function checkPaths({ sandbox: { read, write } }: Config, env: Env): void {
  for (const [key, paths] of Object.entries({ read, write })) {
    const [gone] = expand(paths, env).filter((path) => !existsSync(path));
    if (gone === undefined) continue;
    const hint = `make it, or change sandbox.${key} in .runner/state/config.toml`;
    throw missing(`sandbox.${key} names ${gone}, which does not exist`, hint);
  }
}

async function open(box: Box, request: SandboxRequest): Promise<OpenSandbox> {
  const { options, engine, folder } = box;
  const { config, role, run_id, logins = [] } = request;
  // Setup may also run in the work tree itself (§13.2).
  const clone = request.clone === options.top ? null : request.clone;
  const { own, env } = options;
  const image = await box.inspect(config);
  const top = clone ?? options.top;
  const { uid, gid } = statSync(top);
  const home = homeOf(env);
  const shared = {
    top,
    // A clone has a git folder of its own, and finds its objects in the repository's.
    gitPaths: clone === null ? [join(top, '.git'), own.gitDir, options.commonDir] : [options.commonDir],
    folder: folder.io,
    read: expand(config.sandbox.read, env),
    write: expand(config.sandbox.write, env),
  };
  const paths = planMounts({ ...shared, replaced: [] }).map(({ path }) => path);
  const made = makeFolder(folder, { home, logins, paths, owner: { uid, gid } });
  // Where the work tree holds the home, the home is the work tree.
  const replaced = made.filter(({ path }) => !isBelow(path, top));
  const mounts = planMounts({ ...shared, replaced });
  const policy = policyOf(config, { image, network: networkOf(config, role), mounts, user: `${uid}:${gid}` });
  const program = await engine.program();
  const path = pathInside(searchPath(env), { mounts, imageEnv: image.env });
  return {
    folder,
    close: () => removeFolder(folder),
    end: (cookie) => engine.end(containerName(cookie)),
    findStartError,
    enclose: (spec) => ({
      argv: [
        program,
        ...dockerArguments(policy, {
          argv: spec.argv,
          cwd: spec.cwd,
          variables: listInside(Object.keys(spec.env)),
          path,
          name: containerName(spec.cookie),
          labels: { 'runner.run': run_id, 'runner.repository': options.repository },
          hasInput: spec.hasInput,
        }),
      ],
      env: { ...spec.env, ...engine.env },
    }),
  };
}

function searchPath(env: Env): string {
  return (env['PATH'] ?? '').split(delimiter).join(':');
}

function policyOf(
  { sandbox: { image: name, memory_mb, max_processes } }: Config,
  box: {
    readonly image: ImageFacts;
    readonly network: boolean;
    readonly mounts: readonly Mount[];
    readonly user: string;
  },
): SandboxPolicy {
  return {
    image: name,
    // The root of an engine without root is the user, who owns the work tree.
    user: box.image.isRootless ? '0:0' : box.user,
    network: box.network,
    memoryMb: memory_mb,
    processesMax: max_processes,
    mounts: box.mounts,
  };
}

/** In the image with what `sandbox.read` and `sandbox.write` name, and nothing else. */
async function ask(
  { options, engine, inspect }: Box,
  config: Config,
  argv: readonly string[],
): Promise<string | null> {
  const { env, top } = options;
  const image = await inspect(config);
  const { uid, gid } = statSync(top);
  const paths = expand([...config.sandbox.read, ...config.sandbox.write], env);
  const mounts = [...new Set(paths)].map((path) => ({ path, source: path, isWritable: false }));
  const policy = policyOf(config, { image, network: false, mounts, user: `${uid}:${gid}` });
  const path = pathInside(searchPath(env), { mounts, imageEnv: image.env });
  return engine.ask((name) =>
    dockerArguments(policy, { argv, cwd: '/', variables: [], path, name, labels: {}, hasInput: false }),
  );
}
