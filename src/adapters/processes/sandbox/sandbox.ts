/**
 * What keeps the programs of a session apart (§13.8): opened for each of them, closed behind it. The rules are in
 * core/agents; each engine has a file of its own, and `kind = "none"` opens nothing.
 */
import { existsSync } from 'node:fs';
import { isBelow, isInside } from '../../../core/sandbox/sandbox.ts';
import type { SandboxKind, SandboxRole } from '../../../core/sandbox/sandbox.ts';
import { assert, RunnerError } from '../../../core/errors.ts';
import type { Config, Env } from '../../../core/types.ts';
import type { PrivateLayout } from '../../files/layout.ts';
import { bwrapBox } from './bwrap-box.ts';
import { dockerBox } from './docker-box.ts';
import { missing } from './docker.ts';
import type { Enclosure } from './enclosure.ts';
import { hasFolder, loadRecord, removeLogins, sandboxFolder } from './folder.ts';
import type { SandboxFolder } from './folder.ts';
import { bringBackLogins } from './logins.ts';
import type { LoginFile } from './logins.ts';
import { expandPaths, homeOf } from './places.ts';

export interface SandboxOptions {
  readonly own: PrivateLayout;
  /** Top of the work tree. */
  readonly top: string;
  /** The git folder that all work trees share. */
  readonly commonDir: string;
  /** Name of the repository, a label of its containers. */
  readonly repository: string;
  readonly env: Env;
  /** Program file of the runner itself, which the scripted agent needs inside. */
  readonly entryFile: string | null;
}

export interface SandboxRequest {
  readonly config: Config;
  readonly role: SandboxRole;
  readonly run_id: string;
  /** Top of the judge's clone, where it runs there; null: in the work tree. */
  readonly clone: string | null;
  /** Login files that are copied in. */
  readonly logins?: readonly LoginFile[];
}

export interface OpenSandbox extends Enclosure {
  /** Where it finds the schema and leaves its answer. */
  readonly folder: SandboxFolder;
  /** Contract: nothing of it is left on disk; a login that was renewed inside is the user's now. */
  close(): Promise<void>;
}

/** A program as it is found outside. */
export interface OuterProgram {
  readonly role: SandboxRole;
  /** As the settings name it. */
  readonly name: string;
  /** Where it was found. */
  readonly path: string;
}

export interface Sandbox {
  /** Contract: throws SANDBOX_MISSING when the settings ask for one that cannot be had. */
  check(config: Config): Promise<void>;
  /** Contract: the kind that `"auto"` resolves to on this machine; any other kind is itself. */
  resolve(config: Config): Promise<SandboxKind>;
  /** Contract: whether a program by a plain name is in the image. */
  hasProgram(config: Config, name: string): Promise<boolean>;
  /** Contract: throws SANDBOX_PATH when this program is not the one that its name leads to inside. */
  checkSame(config: Config, program: OuterProgram): Promise<void>;
  /** Contract: what `<program> --version` prints in the image; null: nothing. */
  loadVersion(config: Config, program: string): Promise<string | null>;
  open(request: SandboxRequest): Promise<OpenSandbox>;
  /** Where a session that crashed left its answer; null: there was none in a sandbox. */
  findFolder(): SandboxFolder | null;
  /** Contract: nothing with this cookie runs inside, also after a crash. */
  end(cookie: string): Promise<void>;
}

/** A plain name is looked for in the image; a path leads to the same file inside and outside. */
export function isFromImage({ sandbox: { kind } }: Config, program: string): boolean {
  return kind === 'docker' && !program.includes('/');
}

export const imageHint =
  'add it to the image, or mount it: put its folder on PATH and into sandbox.read in .runner/state/config.toml';

/** Null: the settings ask for none. */
export async function openSandbox(
  box: Sandbox | undefined,
  request: SandboxRequest,
): Promise<OpenSandbox | null> {
  const { config, role } = request;
  assert(config.sandbox.kind !== 'auto', 'what "auto" means is settled before a program starts');
  if (!isInside(config, role)) return null;
  assert(box !== undefined, 'a program that belongs into a sandbox is started with one');
  return box.open(request);
}

export function sandbox(options: SandboxOptions): Sandbox {
  const folder = sandboxFolder(options.env, options);
  const docker = dockerBox(options, folder);
  const bwrap = bwrapBox(options, folder);
  return {
    check: async (config) => {
      const { kind } = config.sandbox;
      if (kind === 'none' || kind === 'auto') return;
      checkPaths(config, options);
      await (kind === 'docker' ? docker.check(config) : bwrap.check());
    },
    resolve: async (config) => {
      const { kind } = config.sandbox;
      if (kind !== 'auto') return kind;
      const isHeld = await bwrap.check().then(
        () => true,
        (error: unknown) => {
          if (error instanceof RunnerError && error.code === 'SANDBOX_MISSING') return false;
          throw error;
        },
      );
      return isHeld ? 'bwrap' : 'none';
    },
    hasProgram: (config, name) => docker.hasProgram(config, name),
    checkSame: async (config, program) => {
      if (config.sandbox.kind === 'bwrap' && isInside(config, program.role))
        await bwrap.checkSame(config, program);
    },
    loadVersion: (config, program) => docker.loadVersion(config, program),
    open: async (request) => {
      const opened = await (request.config.sandbox.kind === 'docker' ? docker : bwrap).open(request);
      const close = async (): Promise<void> => {
        await bringBack(options.env, folder);
        opened.close();
      };
      return { ...opened, folder, close };
    },
    findFolder: () => (hasFolder(folder) ? folder : null),
    end: async (cookie) => {
      // Only a session in a sandbox leaves this folder behind; processes in bubblewrap end with the runner.
      if (!hasFolder(folder)) return;
      if (loadRecord(folder)?.kind === 'docker') await docker.end(cookie);
      await bringBack(options.env, folder);
      removeLogins(folder);
    },
  };
}

function bringBack(env: Env, folder: SandboxFolder): Promise<void> {
  return bringBackLogins(loadRecord(folder)?.logins ?? [], { env, root: folder.homes });
}

function checkPaths(
  { sandbox: { read, write } }: Config,
  { env, own, commonDir }: Pick<SandboxOptions, 'env' | 'own' | 'commonDir'>,
): void {
  for (const [key, paths] of Object.entries({ read, write })) {
    const full = expandPaths(paths, env);
    const change = `change sandbox.${key} in .runner/state/config.toml`;
    const gone = full.find((path) => !existsSync(path));
    if (gone !== undefined)
      throw missing(`sandbox.${key} names ${gone}, which does not exist`, `make it, or ${change}`);
    const whole = full.find((path) => `${homeOf(env)}/`.startsWith(`${path.replace(/\/$/, '')}/`));
    if (whole !== undefined) {
      throw missing(
        `sandbox.${key} names ${whole}, which would open your whole home folder`,
        `name folders in it: ${change}`,
      );
    }
  }
  const open = expandPaths(write, env).find((path) =>
    [own.gitDir, commonDir].some((folder) => isBelow(path, folder)),
  );
  if (open === undefined) return;
  throw missing(
    `sandbox.write names ${open} in the git folder, which no session may write`,
    'take it out of sandbox.write in .runner/state/config.toml',
  );
}
