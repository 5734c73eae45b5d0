/**
 * The folder of a session in a sandbox (§13.8): answer and schema, a home of its own, copies of the agent's login. It is outside work
 * tree and git folder, one per work tree, so that it is found again after a crash.
 */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isBelow } from '../../../core/sandbox/sandbox.ts';
import type { Env } from '../../../core/types.ts';
import { removeCloneFolder } from '../clone-folder.ts';
import { diskError } from '../../files/disk-error.ts';
import type { PrivateLayout } from '../../files/layout.ts';
import { lookAt } from '../../files/look-at.ts';
import { giveTo, ownerOf } from '../../files/owner.ts';
import type { Owner } from '../../files/owner.ts';
import { placeName, stateHome } from '../../files/state-home.ts';
import { hashLogin } from './logins.ts';
import type { LoginCopy, LoginFile } from './logins.ts';

export interface SandboxFolder {
  readonly root: string;
  /** The part that is seen inside, at the same path. */
  readonly io: string;
  readonly tmp: string;
  readonly answer: string;
  readonly schema: string;
  /** Mounted in place of the user's home and of folders with a login. */
  readonly homes: string;
  /** A file without content, in place of what must not be read. */
  readonly empty: string;
  /** Copies of settings of tools. */
  readonly settings: string;
  /** Of system calls. */
  readonly filter: string;
  /** Which login was copied where, and for which engine; never seen inside. */
  readonly record: string;
  /** What bubblewrap says about the processes it started. */
  readonly started: string;
}

export function sandboxFolder(
  env: Env,
  { own, top }: { readonly own: PrivateLayout; readonly top: string },
): SandboxFolder {
  const wanted = join(stateHome(env), 'sessions', placeName(own.gitDir));
  // A state folder in the work tree would make it part of the work; one of root's cannot be reached by another owner of the work tree.
  const isOurs = ownerOf(top)?.uid === process.getuid?.();
  const root = isBelow(wanted, top) || !isOurs ? join(own.root, 'session') : wanted;
  const io = join(root, 'io');
  return {
    root,
    io,
    tmp: join(io, 'tmp'),
    answer: join(io, 'answer.json'),
    schema: join(io, 'answer.schema.json'),
    homes: join(root, 'homes'),
    empty: join(root, 'empty'),
    settings: join(root, 'settings'),
    filter: join(root, 'filter'),
    record: join(root, 'session.json'),
    started: join(root, 'started.json'),
  };
}

export function hasFolder({ root }: SandboxFolder): boolean {
  return lookAt(root) !== null;
}

interface FolderRecord {
  readonly kind: 'bwrap' | 'docker';
  readonly logins: readonly LoginCopy[];
}

export interface FolderRequest extends Pick<FolderRecord, 'kind'> {
  readonly home: string;
  /** Login files of the agent, absolute. */
  readonly logins: readonly LoginFile[];
  /** Everything else that will be mounted; what lies in the home needs a place there. */
  readonly paths: readonly string[];
  readonly owner: Owner;
}

/** Fresh. Returns which of its folders are mounted in place of which of the user's. Throws DISK. */
export function makeFolder(
  folder: SandboxFolder,
  { kind, home, logins, paths, owner }: FolderRequest,
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
    make(folder.tmp);
    writeFileSync(folder.empty, '');
    makePlace(home);
    const copies = logins.map(({ path, isRenewed }) => ({
      ...copyLogin(path, join(makePlace(dirname(path)), basename(path))),
      isRenewed,
    }));
    const record: FolderRecord = { kind, logins: copies.filter(({ isRenewed }) => isRenewed) };
    writeFileSync(folder.record, JSON.stringify(record));
    for (const path of paths.filter((one) => isBelow(one, home)))
      makePlace(statSync(path).isDirectory() ? path : dirname(path));
    // The record stays ours.
    chmodSync(folder.root, 0o711);
    if (process.getuid?.() === 0)
      [folder.io, folder.homes, folder.empty].forEach((path) => giveTo(path, owner));
    return [...replaced].map(([path, source]) => ({ path, source }));
  } catch (cause) {
    throw diskError({ action: 'make the folder of the session', path: folder.root, cause });
  }
}

function copyLogin(path: string, copy: string): LoginCopy {
  const bytes = readFileSync(path);
  writeFileSync(copy, bytes, { mode: 0o600 });
  return { path, copy, sha256: hashLogin(bytes) };
}

/** Null where the folder is gone or was never whole. */
export function loadRecord({ record }: SandboxFolder): FolderRecord | null {
  try {
    return JSON.parse(readFileSync(record, 'utf8')) as FolderRecord;
  } catch {
    return null;
  }
}

/** After a crash the answer is still wanted; the logins are not. */
export function removeLogins({ homes, record }: SandboxFolder): void {
  removeCloneFolder(homes);
  removeCloneFolder(record);
}

export function removeFolder({ root }: SandboxFolder): void {
  removeCloneFolder(root);
}
