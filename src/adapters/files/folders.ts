/** Real folders below a trusted root: a link among them is refused, never followed (§2). */
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { RunnerError, assert } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { diskError, errorCode } from './disk-error.ts';

export interface Below {
  /** Trusted folder; everything between it and the path must be a real folder. */
  readonly root: string;
}

/** The paths from just below the root down to and including the folder; none when it is the root. */
export function foldersBelow(folder: string, { root }: Below): readonly string[] {
  const inside = insideOf(folder, root);
  assert(
    inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside),
    `${folder} is not below ${root}`,
  );
  const parts = inside === '' ? [] : inside.split(sep);
  return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
}

/** Fast path for normalised paths, which nearly all are: this runs for every file. */
function insideOf(folder: string, root: string): string {
  const rest = folder.slice(root.length);
  const isPlain = folder.startsWith(root) && (rest === '' || rest.startsWith(sep)) && !rest.includes('..');
  return isPlain && !rest.endsWith(sep) && !rest.includes(sep + sep) ? rest.slice(1) : relative(root, folder);
}

/** Whether the folder exists; throws LAYOUT_INVALID when something on the way is not a real folder. */
export function checkFolders(folder: string, below: Below): boolean {
  for (const path of foldersBelow(folder, below)) if (!isRealFolder(path)) return false;

  return true;
}

/** False when there is nothing; throws LAYOUT_INVALID when there is something else. */
export function isRealFolder(path: string): boolean {
  const found = lookAtFolder(path);
  if (found !== null && !found.isDirectory()) {
    const isLink = found.isSymbolicLink();
    throw new RunnerError({
      code: 'LAYOUT_INVALID',
      message: `${path} is ${describeKind(found)}, not a real folder${isLink ? '; the runner follows no links' : ''}`,
      hint: isLink ? `rm ${shellWord(path)}` : `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}`,
    });
  }
  return found !== null;
}

function lookAtFolder(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    throw diskError({ action: 'look at', path, cause });
  }
}

/** A folder of the user's own outside any project, with those above it; returns where it is, without links. */
export function makePrivateFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return realpathSync(path);
  } catch (cause) {
    throw diskError({ action: 'make the folder', path, cause });
  }
}

/** The names in a folder; none when it is missing or cannot be read. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Makes names in the folder durable. Some file systems cannot sync a folder; theirs are durable by other means or not at all. */
export function syncFolder(folder: string): void {
  try {
    syncOpen(openSync(folder, 'r'));
  } catch (cause) {
    if (!isUnsyncable(cause)) throw diskError({ action: 'sync', path: join(folder, '.'), cause });
  }
}

export function isUnsyncable(error: unknown): boolean {
  return ['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'].includes(errorCode(error));
}

/** Closes it as well. */
function syncOpen(fd: number): void {
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function describeKind(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';

  if (stats.isDirectory()) return 'a folder';

  if (stats.isFIFO()) return 'a named pipe';

  if (stats.isSocket()) return 'a socket';

  return stats.isFile() ? 'a regular file' : 'a device';
}
