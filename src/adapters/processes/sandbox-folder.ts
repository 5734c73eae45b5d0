/**
 * The folder of a session in a sandbox (§13.8): answer and schema, a home of its own, copies of the agent's login. It is outside work
 * tree and git folder, one per work tree, so that it is found again after a crash.
 */
import { chownSync, copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isBelow } from '../../core/agents/sandbox.ts';
import { removeCloneFolder } from './clone-folder.ts';
import { diskError } from '../files/disk-error.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { placeName, stateHome } from '../files/state-home.ts';
import type { Env } from './session-env.ts';

export interface SandboxFolder {
  readonly root: string;
  /** The part that is seen inside, at the same path. */
  readonly io: string;
  readonly answer: string;
  readonly schema: string;
  /** Mounted in place of the user's home and of folders with a login. */
  readonly homes: string;
}

export function sandboxFolder(
  env: Env,
  { own, top }: { readonly own: PrivateLayout; readonly top: string },
): SandboxFolder {
  const wanted = join(stateHome(env), 'sessions', placeName(own.gitDir));
  // A state folder in the work tree would make it part of the work.
  const root = isBelow(wanted, top) ? join(own.root, 'session') : wanted;
  const io = join(root, 'io');
  return {
    root,
    io,
    answer: join(io, 'answer.json'),
    schema: join(io, 'answer.schema.json'),
    homes: join(root, 'homes'),
  };
}

export function hasFolder({ root }: SandboxFolder): boolean {
  return lookAt(root) !== null;
}

export interface FolderRequest {
  readonly home: string;
  /** Login files of the agent, absolute. */
  readonly logins: readonly string[];
  /** Everything else that will be mounted; what lies in the home needs a place there. */
  readonly paths: readonly string[];
  readonly owner: { readonly uid: number; readonly gid: number };
}

/** Fresh. Returns which of its folders are mounted in place of which of the user's. Throws DISK. */
export function makeFolder(
  folder: SandboxFolder,
  { home, logins, paths, owner }: FolderRequest,
): readonly { readonly path: string; readonly source: string }[] {
  removeFolder(folder);
  const replaced = new Map([[home, join(folder.homes, '0')]]);
  const make = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });
  // Docker would make these itself, as root.
  const makePlace = (path: string): string => {
    const outer = [...replaced].find(([place]) => isBelow(path, place)) ?? [
      path,
      join(folder.homes, String(replaced.size)),
    ];
    replaced.set(...outer);
    const inner = join(outer[1], relative(outer[0], path));
    make(inner);
    return inner;
  };
  try {
    make(folder.io);
    makePlace(home);
    for (const login of logins) copyFileSync(login, join(makePlace(dirname(login)), basename(login)));
    for (const path of paths.filter((one) => isBelow(one, home)))
      makePlace(statSync(path).isDirectory() ? path : dirname(path));
    if (process.getuid?.() === 0) giveTo(folder.root, owner);
    return [...replaced].map(([path, source]) => ({ path, source }));
  } catch (cause) {
    throw diskError({ action: 'make the folder of the session', path: folder.root, cause });
  }
}

function giveTo(path: string, owner: FolderRequest['owner']): void {
  chownSync(path, owner.uid, owner.gid);
  if (lookAt(path)?.isDirectory() !== true) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}

/** After a crash the answer is still wanted; the logins are not. */
export function removeLogins({ homes }: SandboxFolder): void {
  removeCloneFolder(homes);
}

export function removeFolder({ root }: SandboxFolder): void {
  removeCloneFolder(root);
}
