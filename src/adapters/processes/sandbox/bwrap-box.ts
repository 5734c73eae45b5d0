/**
 * Sessions in bubblewrap: its arguments filled with the paths of a session (§13.8). Whether it holds on this machine is tried out, never
 * assumed.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bwrapArguments, bwrapEnvironment, findBwrapError, planViews } from '../../../core/sandbox/bwrap.ts';
import type { BwrapPlace, BwrapPolicy } from '../../../core/sandbox/bwrap.ts';
import { keyringFilter } from '../../../core/sandbox/keyring-filter.ts';
import { hiddenVariables } from '../../../core/sandbox/sandbox-policy.ts';
import { isBelow, networkOf } from '../../../core/sandbox/sandbox.ts';
import { RunnerError } from '../../../core/errors.ts';
import type { Config } from '../../../core/types.ts';
import { diskError } from '../../files/disk-error.ts';
import { lookAt, realPath } from '../../files/look-at.ts';
import { giveTo, ownerOf } from '../../files/owner.ts';
import type { Owner } from '../../files/owner.ts';
import { placeName, stateHome } from '../../files/state-home.ts';
import { removeCloneFolder } from '../clone-folder.ts';
import { installBwrap, requireBwrap } from './bwrap.ts';
import { coverInherited } from './descriptors.ts';
import { missing } from './docker.ts';
import type { Enclosure } from './enclosure.ts';
import { makeFolder, removeFolder } from './folder.ts';
import type { SandboxFolder } from './folder.ts';
import { copySettings, listMasked } from './home-files.ts';
import { waitForNamespaces } from './namespace.ts';
import { expandPaths, homeOf, kindAt, listSockets, loadHomeOf, searchPath } from './places.ts';
import { findDifference } from './program-inside.ts';
import type { Difference } from './program-inside.ts';
import { tryBwrap } from './probe.ts';
import type { OuterProgram, SandboxOptions, SandboxRequest } from './sandbox.ts';

export interface BwrapBox {
  /** Contract: throws SANDBOX_MISSING when a sample of the battery does not hold; asked once. */
  check(): Promise<void>;
  /** Contract: throws SANDBOX_PATH. */
  checkSame(config: Config, program: OuterProgram): Promise<void>;
  open(request: SandboxRequest): Promise<Enclosure & { close(): void }>;
}

export function bwrapBox(options: SandboxOptions, folder: SandboxFolder): BwrapBox {
  let isHeld: Promise<void> | null = null;
  const same = new Set<string>();
  let asked: Promise<string | null> | null = null;
  /** Of the user that programs run as. */
  const ownerHome = (): Promise<string | null> => (asked ??= loadHomeOf(ownerOf(options.top)?.uid ?? 0));
  return {
    check: () => (isHeld ??= check(options)),
    checkSame: async (config, program) => {
      const key = `${program.role} ${program.path} ${JSON.stringify(config.sandbox.read)}`;
      if (same.has(key)) return;
      const difference = await findDifference(
        {
          ...layOut(options, folder, { config, role: program.role, ownerHome: await ownerHome() }),
          env: options.env,
        },
        program,
      );
      if (difference !== null) throw pathError(config, { program, difference });
      same.add(key);
    },
    open: async (request) => open(options, folder, { ...request, ownerHome: await ownerHome() }),
  };
}

async function check(options: SandboxOptions): Promise<void> {
  if (process.platform !== 'linux') throw missing('bubblewrap works on Linux only', installBwrap);
  const home = homeOf(options.env);
  if (home === '/') throw missing('HOME is /, which cannot be hidden', 'set HOME to a folder of your own');
  const owner = ownerOf(options.top);
  if (process.getuid?.() !== 0 && owner?.uid !== process.getuid?.()) {
    throw missing(
      `${options.top} belongs to another user, as whom its programs would have to run`,
      installBwrap,
    );
  }
  const reason = await tryBwrap(await requireBwrap(options.env, options.top), userOf(options.top));
  if (reason !== null) throw missing(`bubblewrap does not hold here: ${reason}`, installBwrap);
}

/** Null: as ourselves. Only root can become somebody else. */
function userOf(top: string): Owner | null {
  const owner = ownerOf(top);
  return owner === null || owner.uid === process.getuid?.() ? null : { uid: owner.uid, gid: owner.gid };
}

/** Paths of a session; `replaced` as `makeFolder` makes it for a session without a login. */
function layOut(
  options: SandboxOptions,
  folder: SandboxFolder,
  request: Pick<SandboxRequest, 'config' | 'role'> &
    Partial<SandboxRequest> &
    Pick<BwrapPlace, 'ownerHome'> & { readonly replaced?: BwrapPlace['replaced'] },
): { readonly place: BwrapPlace; readonly policy: BwrapPolicy; readonly user: Owner | null } {
  const { own, env } = options;
  const { config, role } = request;
  const clone = cloneOf(options, request.clone);
  const top = clone ?? options.top;
  const user = userOf(top);
  const home = homeOf(env);
  const isCovered = request.ownerHome === home || isBelow(request.ownerHome ?? top, top);
  const ownerHome = isCovered ? null : request.ownerHome;
  const kindOf = (path: string): 'file' | 'folder' | null => kindAt(path, user);
  // What is not absolute would be looked for in the current folder; in the work tree nothing is hidden, it would be lost.
  const hidden = hiddenVariables.flatMap((name) => {
    const given = env[name] ?? '';
    return given.startsWith('/') && !isBelow(realPath(given), top) ? [realPath(given)] : [];
  });
  const place: BwrapPlace = {
    home,
    ownerHome,
    top,
    // A clone has a git folder of its own, and finds its objects in the repository's.
    gitPaths: clone === null ? [join(top, '.git'), own.gitDir, options.commonDir] : [options.commonDir],
    io: folder.io,
    cache: cacheOf(options, { clone, run_id: request.run_id ?? '-', role }),
    // Where the work tree holds the home, the home is the work tree.
    replaced: (request.replaced ?? [{ path: home, source: join(folder.homes, '0') }]).filter(
      ({ path }) => !isBelow(path, top),
    ),
    read: [...expandPaths(config.sandbox.read, env), ...playerOf(options, config)],
    write: expandPaths(config.sandbox.write, env),
    // What runs in a clone must not find its way to the work tree.
    hidden: [...hidden, ...(clone === null ? [] : [options.top])],
    masked: [home, ...(ownerHome === null ? [] : [ownerHome])].flatMap(listMasked),
    settings: folder.settings,
    sockets: listSockets().filter((path) => kindOf(path) !== null),
    path: searchPath(env),
    network: networkOf(config, role),
    resolver: realPath('/etc/resolv.conf'),
    kindOf,
  };
  const policy = { views: planViews(place), network: place.network, emptyFile: folder.empty };
  return { place, policy, user };
}

/** Setup may also run in the work tree itself (§13.2). */
function cloneOf({ top }: SandboxOptions, clone: string | null | undefined): string | null {
  return clone === undefined || clone === top ? null : clone;
}

/** The scripted agent is the runner itself, with its script. */
function playerOf({ entryFile }: SandboxOptions, { agent: { name, script } }: Config): readonly string[] {
  if (name !== 'scripted') return [];
  const program = entryFile === null ? [] : [dirname(dirname(realPath(entryFile)))];
  return [realPath(process.execPath), ...program, ...(script?.startsWith('/') === true ? [script] : [])];
}

/** Settings of tools are in there, too, so no session may write to those of the check. Caches of a clone go with it. */
function cacheOf(
  { env, own, top }: SandboxOptions,
  { clone, run_id, role }: Pick<SandboxRequest, 'clone' | 'run_id' | 'role'>,
): string {
  if (clone !== null) return join(dirname(dirname(clone)), 'cache');
  const folder = userOf(top) === null ? join(cachesOf(env), placeName(own.gitDir)) : join(own.root, 'cache');
  return join(folder, run_id, role === 'guard' || role === 'setup' ? 'check' : 'session');
}

function cachesOf(env: SandboxOptions['env']): string {
  return join(stateHome(env), 'caches');
}

async function open(
  options: SandboxOptions,
  folder: SandboxFolder,
  request: SandboxRequest & Pick<BwrapPlace, 'ownerHome'>,
): ReturnType<BwrapBox['open']> {
  const { env } = options;
  const program = await requireBwrap(env, options.top);
  const top = cloneOf(options, request.clone) ?? options.top;
  const owner = ownerOf(top) ?? { uid: 0, gid: 0 };
  const home = homeOf(env);
  const replaced = makeFolder(folder, {
    kind: 'bwrap',
    home,
    logins: request.logins ?? [],
    paths: [],
    owner,
  });
  copySettings(home, { folder: folder.settings, owner });
  makeCache(options, { cache: layOutCache(options, request), owner });
  const { place, policy, user } = layOut(options, folder, { ...request, replaced });
  const info = openSync(folder.started, 'w');
  const filter = openFilter(folder);
  const nothing = openSync('/dev/null', 'r+');
  return {
    close: () => {
      closeSync(info);
      closeSync(filter);
      closeSync(nothing);
      removeFolder(folder);
    },
    end: () => waitForNamespaces(readFileSync(folder.started, 'utf8')),
    findStartError: findBwrapError,
    enclose: ({ argv, cwd, env: given }) => ({
      argv: [program, '--info-fd', '3', ...seccomp, ...bwrapArguments(policy, { argv, cwd })],
      env: bwrapEnvironment(given, place),
      user,
      files: [info, filter, ...coverInherited(5, nothing)],
    }),
  };
}

/** On other processors it would be written in another way. */
const seccomp = ['x64', 'arm64'].includes(process.arch) ? ['--seccomp', '4'] : [];

/** Read by bubblewrap once. */
function openFilter({ filter }: SandboxFolder): number {
  writeFileSync(filter, keyringFilter());
  return openSync(filter, 'r');
}

function layOutCache(options: SandboxOptions, { clone, run_id, role }: SandboxRequest): string {
  return cacheOf(options, { clone: cloneOf(options, clone), run_id, role });
}

const ownerFile = 'git-folder';

/** Caches of earlier runs of this work tree, and of work trees that are gone, are removed. Throws DISK. */
function makeCache(
  { env, own }: SandboxOptions,
  { cache, owner }: { readonly cache: string; readonly owner: Owner },
): void {
  if (lookAt(cache) !== null) return;
  try {
    // Its user may be another one, who has to get there.
    const run = dirname(cache);
    mkdirSync(run, { recursive: true, mode: 0o711 });
    mkdirSync(cache, { mode: 0o700 });
    if (process.getuid?.() === 0) giveTo(cache, owner);
    const place = dirname(run);
    if (dirname(place) !== cachesOf(env)) return;
    writeFileSync(join(place, ownerFile), own.gitDir);
    for (const name of readdirSync(place))
      if (![ownerFile].includes(name) && join(place, name) !== run) removeCloneFolder(join(place, name));
    for (const name of readdirSync(cachesOf(env))) removeLeft(join(cachesOf(env), name));
  } catch (cause) {
    throw diskError({ action: 'make the folder', path: cache, cause });
  }
}

function removeLeft(place: string): void {
  try {
    if (lookAt(readFileSync(join(place, ownerFile), 'utf8')) === null) removeCloneFolder(place);
  } catch {
    // Being made by another runner.
  }
}

function pathError(
  { sandbox }: Config,
  { program, difference }: { readonly program: OuterProgram; readonly difference: Difference },
): RunnerError {
  const { role, name, path } = program;
  const { inside, needs } = difference;
  const who = role === 'guard' ? 'guard.command' : 'the agent';
  const called = name === path ? path : `'${name}' (${path})`;
  const does = inside === null ? 'cannot be run' : `is ${inside}`;
  const read = [...new Set([...sandbox.read, ...needs])];
  return new RunnerError({
    code: 'SANDBOX_PATH',
    message: `the program ${called} of ${who} ${does} in the sandbox: ${needs.join(' and ')} cannot be seen there`,
    hint: `runner config set sandbox.read '${JSON.stringify(read)}'`,
  });
}
