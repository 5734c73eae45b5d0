/**
 * Copies of small files, with mode, kind and absence, and putting them back (§14). Nothing is opened that is not a regular file, no link
 * is written through, and what was there instead is moved to a place the caller names.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { diskError } from '../../files/disk-error.ts';
import { moveAside, saveFile } from '../../files/files.ts';
import { lookAt } from '../../files/look-at.ts';

export type Kept =
  | { readonly kind: 'absent' | 'folder' | 'special' | 'unreadable' }
  /** Null bytes: only that it is a file counts, see `Place`. */
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Buffer | null }
  | { readonly kind: 'link'; readonly target: string };

/** `whole`: bytes and mode count. `kind`: only what kind of thing it is; the bytes come back if it is something else. `shape`: never the bytes. */
export type Place = 'whole' | 'kind' | 'shape';

/** Absolute path to what was there. */
export type Copy = ReadonlyMap<string, { readonly place: Place; readonly kept: Kept }>;

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Beyond this a file is only known by its kind: none that steers git is near it. */
const bytesMax = 16 * 1024 * 1024;

export function loadKept(path: string, place: Place): Kept {
  const found = lookAt(path);
  if (found === null) return { kind: 'absent' };

  if (found.isDirectory()) return { kind: 'folder' };

  try {
    if (found.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path) };

    return found.isFile() ? loadFile(path, { found, place }) : { kind: 'special' };
  } catch {
    // Gone meanwhile, or not ours to read: then git cannot read it either.
    return lookAt(path) === null ? { kind: 'absent' } : { kind: 'unreadable' };
  }
}

function loadFile(path: string, { found, place }: { readonly found: Stats; readonly place: Place }): Kept {
  const mode = found.mode & 0o7777;
  if (place === 'shape' || found.size > bytesMax) return { kind: 'file', mode, bytes: null };

  const descriptor = openSync(path, openFlags);
  try {
    if (!fstatSync(descriptor).isFile()) return { kind: 'special' };

    return { kind: 'file', mode, bytes: readFileSync(descriptor) };
  } finally {
    closeSync(descriptor);
  }
}

export function isSameKept(before: Kept, now: Kept, place: Place): boolean {
  if (before.kind !== now.kind) return false;

  if (before.kind === 'link' && now.kind === 'link') return before.target === now.target;

  if (place !== 'whole' || before.kind !== 'file' || now.kind !== 'file') return true;

  const isSameBytes =
    before.bytes === null || now.bytes === null ? before.bytes === now.bytes : before.bytes.equals(now.bytes);
  return before.mode === now.mode && isSameBytes;
}

/** Changes whenever one of the paths is written, replaced or removed. */
export function stampPaths(paths: Iterable<string>): string {
  return Array.from(paths, stampOf).join('\n');
}

function stampOf(path: string): string {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined
      ? '-'
      : `${found.ino} ${found.mode} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
  } catch {
    return '-';
  }
}

export interface PutBackRequest {
  readonly path: string;
  readonly before: Kept;
  /** Where what is there now goes; `root` is its trusted folder. */
  readonly toDir: string;
  readonly root: string;
}

/** Returns where the changed version is now; null when nothing was there. */
export async function putBackPath({ path, before, toDir, root }: PutBackRequest): Promise<string | null> {
  const moved = await moveAside({ from: path, toDir, root }).catch((error: unknown) => {
    // Another git may have taken away what it had made for a moment.
    if (lookAt(path) !== null) throw error;
    return null;
  });
  await writeKept(path, before);
  return moved;
}

export async function writeKept(path: string, kept: Kept): Promise<void> {
  try {
    if (kept.kind === 'folder') {
      mkdirSync(path, { recursive: true });
    } else if (kept.kind === 'link') {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(kept.target, path);
    } else if (kept.kind === 'file' && kept.bytes !== null) {
      mkdirSync(dirname(path), { recursive: true });
      // Staged and renamed: a hard link to the old file keeps what it had.
      await saveFile(path, kept.bytes, { root: dirname(path) });
      chmodSync(path, kept.mode);
    }
  } catch (cause) {
    throw diskError({ action: 'put back', path, cause });
  }
}

/** The copy with contents that count from now on. */
export function withAccepted(copy: Copy, accepted: ReadonlyMap<string, Kept>): Copy {
  const changed = [...accepted].flatMap(([path, kept]) => {
    const before = copy.get(path);
    return before === undefined ? [] : [[path, { ...before, kept }] as const];
  });
  return changed.length === 0 ? copy : new Map([...copy, ...changed]);
}
