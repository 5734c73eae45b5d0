/** Opens what must be a regular file. A pipe, device, folder or link that stands there instead is named, never waited for. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SourceText } from '../core/types.ts';
import { errorCode, errorText } from './disk-error.ts';
import { checkFolders, describeKind } from './folders.ts';

export type OpenedFile =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly bytes: number }
  | Extract<SourceText, { readonly kind: 'missing' | 'unreadable' }>;

/** Opens a regular file for reading without following a link or waiting for a pipe's other end. */
export async function openRegular(path: string, root?: string): Promise<OpenedFile> {
  try {
    if (root !== undefined && !(await checkFolders(dirname(path), { root }))) {
      return { kind: 'missing' };
    }
    const found = await lstat(path);
    if (!found.isFile()) {
      return { kind: 'unreadable', message: `${path} is ${describeKind(found)}, not a regular file` };
    }
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    // Looked at again, because the path may have been exchanged since.
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      return { kind: 'unreadable', message: `${path} is ${describeKind(stats)}, not a regular file` };
    }
    return { kind: 'open', handle, bytes: stats.size };
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') {
      return { kind: 'missing' };
    }
    return { kind: 'unreadable', message: `${path} cannot be read: ${errorText(error)}` };
  }
}
