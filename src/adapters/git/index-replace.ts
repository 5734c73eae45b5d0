/** Puts an index file of ours in the place of another, with its time: by that git knows which entries not to trust. */
import { closeSync, fsyncSync, futimesSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { diskError } from '../files/disk-error.ts';
import { dropPrivate } from './index-lock.ts';
import { lookAt } from '../files/look-at.ts';

export function replaceIndex(
  path: string,
  request: { readonly like: string; readonly bytes: Buffer; readonly isDurable: boolean },
): void {
  const { like, bytes, isDurable } = request;
  const stage = `${path}.new`;
  try {
    const { atime, mtimeMs } = statSync(like);
    dropPrivate(stage);
    const fd = openSync(stage, 'wx');
    try {
      for (let at = 0; at < bytes.length;) {
        at += writeSync(fd, bytes, at, bytes.length - at, at);
      }
      // Never later than the original: an entry may be looked at once too often, never too rarely.
      futimesSync(fd, atime, Math.floor(mtimeMs) / 1000);
      if (isDurable) {
        fsyncSync(fd);
      }
    } finally {
      closeSync(fd);
    }
    if (lookAt(path)?.isDirectory() === true) {
      dropPrivate(path);
    }
    renameSync(stage, path);
  } catch (cause) {
    throw diskError({ action: 'write', path, bytesNeeded: bytes.length, cause });
  }
}
