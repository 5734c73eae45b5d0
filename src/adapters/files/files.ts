/**
 * Durable, atomic files below a trusted root (§2): every write is staged, verified, renamed and synced, and no link
 * below the root is ever followed. A failed write leaves the old file as it was.
 */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  promises,
  readSync,
  readdirSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { SourceText } from '../../core/types.ts';
import { diskError, errorCode, errorText } from './disk-error.ts';
import { failpoint } from './failpoint.ts';
import { checkFolders, describeKind, foldersBelow, isRealFolder, syncFolder } from './folders.ts';
import type { Below } from './folders.ts';
import { holdsBytes } from './look-at.ts';
import { giveToFolder } from './owner.ts';
import { openRegularNow } from './regular-file.ts';
import type * as Stage from './stage.ts';
import { firstInvalidByte } from './utf8-bytes.ts';

const newFileMode = 0o644;
/** Loaded with the first write: it brings the random numbers, and commands that only read need none. */
let staging: Promise<typeof Stage> | null = null;

export interface ReadLimits {
  readonly bytesMax: number;
  /** When given, folders below it that are links make the file unreadable instead of being followed. */
  readonly root?: string;
}

export type SourceBytes =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | Exclude<SourceText, { readonly kind: 'text' }>;

export interface DirEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Paths relative to the folder, parts joined by `/`, sorted by code point. */
export interface FoundFiles {
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** Pipes, sockets, devices, and folders that cannot be listed. */
  readonly others: readonly string[];
}

export interface SaveRequest extends Below {
  /** False for files that matter only while this process lives: a power cut may lose them. */
  readonly isDurable?: boolean;
}

/** Replaces the file in one instant; missing folders below the root are made. Throws DISK, LAYOUT_INVALID. */
export async function saveFile(path: string, data: string | Uint8Array, below: SaveRequest): Promise<void> {
  const bytes = Buffer.from(data);
  const { isDurable = true } = below;
  const [folder, name] = [dirname(path), basename(path)];
  await ensureDir(folder, below);
  const mode = targetMode(path);
  if (!isDurable && holdsBytes(path, bytes)) return;

  const { dropStage, saveStage, stageName } = await (staging ??= import('./stage.ts'));
  const stage = join(folder, stageName());
  try {
    failpoint(`write:before:${name}`);
    saveStage({ stage, bytes, mode, isDurable });
    failpoint(`write:after:${name}`);
    failpoint(`rename:before:${name}`);
    renameSync(stage, path);
  } catch (cause) {
    dropStage(stage);
    throw diskError({ action: 'write', path, bytesNeeded: bytes.length, cause });
  }
  failpoint(`rename:after:${name}`);
  if (isDurable) syncFolder(folder);
}

/** Durable; fine when there is no such file. A link is removed, never what it points to. */
export async function removeFile(path: string, below: SaveRequest): Promise<void> {
  const folder = dirname(path);
  if (!checkFolders(folder, below)) return;

  failpoint(`remove:before:${basename(path)}`);
  try {
    unlinkSync(path);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return;

    throw diskError({ action: 'remove', path, cause });
  }
  failpoint(`remove:after:${basename(path)}`);
  if (below.isDurable !== false) syncFolder(folder);
}

/** Strict UTF-8; a byte order mark stays in the text. Never throws for what the path holds. */
export async function loadText(path: string, limits: ReadLimits): Promise<SourceText> {
  const source = await loadBytes(path, limits);
  if (source.kind !== 'bytes') return source;

  if (!isUtf8(source.bytes)) {
    const at = firstInvalidByte(source.bytes);
    return { kind: 'unreadable', message: `${path} is not valid UTF-8 (byte ${at})` };
  }
  return { kind: 'text', text: source.bytes.toString('utf8') };
}

/** Only regular files, and only up to the limit. Never throws for what the path holds. */
export async function loadBytes(path: string, limits: ReadLimits): Promise<SourceBytes> {
  const opened = openRegularNow(path, limits.root);
  if (opened.kind !== 'open') return opened;

  try {
    if (opened.bytes > limits.bytesMax)
      return { kind: 'too_large', bytes: opened.bytes, bytesMax: limits.bytesMax };

    // One byte more than expected, to notice a file that grows meanwhile.
    const buffer = Buffer.alloc(opened.bytes + 1);
    let length = 0;
    for (let bytesRead = -1; bytesRead !== 0 && length < buffer.length; length += bytesRead)
      bytesRead = readSync(opened.fd, buffer, length, buffer.length - length, length);

    if (length > opened.bytes) return { kind: 'unreadable', message: `${path} grew while it was read` };

    return { kind: 'bytes', bytes: buffer.subarray(0, length) };
  } catch (error) {
    return { kind: 'unreadable', message: `${path} cannot be read: ${errorText(error)}` };
  } finally {
    closeSync(opened.fd);
  }
}

/** Makes every missing folder below the root, each one durable. Throws DISK, LAYOUT_INVALID. */
export async function ensureDir(path: string, below: Below): Promise<void> {
  makeFolders(path, below).forEach(syncFolder);
}

/** The same without waiting for the disk: returns the folders that are to be synced. */
export function makeFolders(path: string, below: Below): readonly string[] {
  const changed: string[] = [];
  for (const folder of foldersBelow(path, below)) {
    if (!isRealFolder(folder)) {
      makeFolder(folder);
      changed.push(dirname(folder));
    }
  }
  return changed;
}

/** Sorted by name; empty when there is no such folder. Throws LAYOUT_INVALID when it is not a real folder. */
export async function listDir(path: string): Promise<readonly DirEntry[]> {
  if (!isRealFolder(path)) return [];

  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, kind: entryKind(entry) }))
      .toSorted((a, b) => compareBytes(a.name, b.name));
  } catch (cause) {
    throw diskError({ action: 'list', path, cause });
  }
}

/** Every file below the folder, however deep, without following a link. Folders that vanish or refuse are in `others`. */
export async function walkFiles(dir: string): Promise<FoundFiles> {
  const found = { file: [] as string[], link: [] as string[], other: [] as string[] };
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await listDir(join(dir, folder)).catch(() => null);
    if (entries === null) found.other.push(folder);

    for (const entry of entries ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      (entry.kind === 'folder' ? pending : found[entry.kind]).push(path);
    }
  }
  return {
    files: found.file.toSorted(compareBytes),
    links: found.link.toSorted(compareBytes),
    others: found.other.toSorted(compareBytes),
  };
}

export interface MoveRequest extends Below {
  readonly from: string;
  /** Made when missing; `root` is its trusted folder. */
  readonly toDir: string;
}

/**
 * Moves a file, a link itself or a whole folder out of the way, under its own name or `<name>-2`, `<name>-3`…; returns
 * where it is now, or null when there was nothing. Works across file systems, where pipes and devices are left out.
 */
export async function moveAside({ from, toDir, root }: MoveRequest): Promise<string | null> {
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return null;

  await ensureDir(toDir, { root });
  const taken = new Set((await listDir(toDir)).map((entry) => entry.name));
  const name = basename(from);
  let free = name;
  for (let k = 2; taken.has(free); k += 1) free = `${name}-${k}`;

  const to = join(toDir, free);
  failpoint(`rename:before:${name}`);
  try {
    await promises.rename(from, to).catch(async (error: unknown) => {
      if (errorCode(error) !== 'EXDEV') throw error;

      await copyThenRemove(from, to);
    });
  } catch (cause) {
    throw diskError({ action: `move to ${to}:`, path: from, cause });
  }
  failpoint(`rename:after:${name}`);
  syncFolder(toDir);
  syncFolder(dirname(from));
  return to;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
    giveToFolder(path, path);
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!isRealFolder(path)) throw diskError({ action: 'make the folder', path, cause });
  }
}

/** The mode of an existing or new file. Throws LAYOUT_INVALID for anything but a regular file. */
export function targetMode(path: string): number {
  try {
    const found = lstatSync(path);
    if (found.isFile()) return found.mode & 0o777;

    throw new RunnerError({
      code: 'LAYOUT_INVALID',
      message: `${path} is ${describeKind(found)}; the runner writes a regular file there and follows no links`,
      hint: `rm ${found.isDirectory() ? '-r ' : ''}${shellWord(path)}`,
    });
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return newFileMode;

    throw diskError({ action: 'write', path, cause });
  }
}

async function copyThenRemove(from: string, to: string): Promise<void> {
  await promises.cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    errorOnExist: true,
    force: false,
    filter: async (source) => {
      const stats = await promises.lstat(source);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
  await promises.rm(from, { recursive: true });
}

function entryKind(entry: Dirent): DirEntry['kind'] {
  if (entry.isFile()) return 'file';

  if (entry.isDirectory()) return 'folder';

  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** Bytes of UTF-8 sort as code points do. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
