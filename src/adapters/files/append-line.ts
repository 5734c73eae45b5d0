/**
 * Appends lines to a file of the runner, durably, with one sync. A line counts once it is complete; the rest of one that a
 * crash or a full disk cut off stays on a line of its own. No link is followed, and a file with a second hard link is not
 * written to.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { diskError } from './disk-error.ts';
import { failpoint } from './failpoint.ts';
import { makeFolders, targetMode } from './files.ts';
import type { SaveRequest } from './files.ts';
import { syncFolder } from './folders.ts';
import { lookAt } from './look-at.ts';
import { giveToFolder } from './owner.ts';

const plain = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Throws DISK, LAYOUT_INVALID. */
export async function appendLine(path: string, line: string, below: SaveRequest): Promise<void> {
  makeFolders(dirname(path), below).forEach(syncFolder);
  targetMode(path);
  const isNew = lookAt(path) === null;
  try {
    const fd = openOwn(path);
    try {
      appendWhole(fd, { path, line });
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw diskError({ action: 'write', path, bytesNeeded: line.length, cause });
  }
  if (isNew) syncFolder(dirname(path));
}

function appendWhole(fd: number, { path, line }: { readonly path: string; readonly line: string }): void {
  const { size } = fstatSync(fd);
  // Whatever is there may lack its end.
  const bytes = Buffer.from(`${size === 0 ? '' : '\n'}${line}\n`);
  failpoint(`write:before:${basename(path)}`);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at);

    fdatasyncSync(fd);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
  failpoint(`write:after:${basename(path)}`);
}

/** Empties the file; a missing file is fine. Throws DISK, LAYOUT_INVALID. */
export async function clearLines(path: string): Promise<void> {
  if (lookAt(path) === null) return;

  targetMode(path);
  failpoint(`clear:before:${basename(path)}`);
  try {
    const fd = openOwn(path);
    try {
      ftruncateSync(fd);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw diskError({ action: 'write', path, cause });
  }
  failpoint(`clear:after:${basename(path)}`);
}

/** A file with a second hard link, or one that we may not write, was not left by us: a new file replaces it. */
function openOwn(path: string): number {
  const fd = openSafely(path);
  if (fd !== null && fstatSync(fd).nlink === 1) {
    giveToFolder(fd, path);
    return fd;
  }

  if (fd !== null) closeSync(fd);

  unlinkSync(path);
  return openSync(path, plain | constants.O_CREAT | constants.O_EXCL, 0o644);
}

function openSafely(path: string): number | null {
  try {
    return openSync(path, plain | constants.O_CREAT, 0o644);
  } catch (error) {
    if (lookAt(path)?.isFile() === true) return null;

    throw error;
  }
}
