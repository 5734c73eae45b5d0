/** Sessions in containers: docker's arguments filled with the paths of a session. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  dockerArguments,
  findStartError,
  isBelow,
  listInside,
  networkOf,
  pathInside,
  planMounts,
} from '../../../core/sandbox/sandbox.ts';
import type { Mount, SandboxPolicy } from '../../../core/sandbox/sandbox.ts';
import type { Config, Env } from '../../../core/types.ts';
import { docker, findDocker } from './docker.ts';
import type { Docker, ImageFacts } from './docker.ts';
import type { Enclosure } from './enclosure.ts';
import { makeFolder, removeFolder } from './folder.ts';
import type { SandboxFolder } from './folder.ts';
import { expandPaths, homeOf, searchPath } from './places.ts';
import type { SandboxOptions, SandboxRequest } from './sandbox.ts';

export interface DockerBox {
  check(config: Config): Promise<void>;
  hasProgram(config: Config, name: string): Promise<boolean>;
  loadVersion(config: Config, program: string): Promise<string | null>;
  open(request: SandboxRequest): Promise<Enclosure & { close(): void }>;
  end(cookie: string): Promise<void>;
}

export function dockerBox(options: SandboxOptions, folder: SandboxFolder): DockerBox {
  const engine = docker(options.env, options.top);
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
    end: async (cookie) => {
      // Without docker there is no container either.
      if ((await findDocker(options.env, options.top)) === null) return;
      await engine.end(containerName(cookie));
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

async function open(box: Box, request: SandboxRequest): ReturnType<DockerBox['open']> {
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
    read: expandPaths(config.sandbox.read, env),
    write: expandPaths(config.sandbox.write, env),
  };
  const paths = planMounts({ ...shared, replaced: [] }).map(({ path }) => path);
  const made = makeFolder(folder, { kind: 'docker', home, logins, paths, owner: { uid, gid } });
  // Where the work tree holds the home, the home is the work tree.
  const replaced = made.filter(({ path }) => !isBelow(path, top));
  const mounts = planMounts({ ...shared, replaced });
  const policy = policyOf(config, { image, network: networkOf(config, role), mounts, user: `${uid}:${gid}` });
  const program = await engine.program();
  const path = pathInside(pathText(env), { mounts, imageEnv: image.env });
  return {
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
      user: null,
      files: [],
    }),
  };
}

function pathText(env: Env): string {
  return searchPath(env).join(':');
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
  const paths = expandPaths([...config.sandbox.read, ...config.sandbox.write], env);
  const mounts = [...new Set(paths)].map((path) => ({ path, source: path, isWritable: false }));
  const policy = policyOf(config, { image, network: false, mounts, user: `${uid}:${gid}` });
  const path = pathInside(pathText(env), { mounts, imageEnv: image.env });
  return engine.ask((name) =>
    dockerArguments(policy, { argv, cwd: '/', variables: [], path, name, labels: {}, hasInput: false }),
  );
}
