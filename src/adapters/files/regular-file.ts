/** Opens a path that must be a regular file. A pipe, device, folder or link there is reported, never waited for. */
import { closeSync, constants, fstatSync, lstatSync, openSync, promises } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SourceText } from '../../core/types.ts';
import { errorCode, errorText } from './disk-error.ts';
import { checkFolders, describeKind } from './folders.ts';

type Refusal = Extract<SourceText, { readonly kind: 'missing' | 'unreadable' }>;

export type OpenedFile =
  | { readonly kind: 'open'; readonly handle: FileHandle; readonly bytes: number }
  | Refusal;

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file for reading without following a link or waiting for a pipe's other end. */
export async function openRegular(path: string, root?: string): Promise<OpenedFile> {
  try {
    const refusal = checkRegular(path, root);
    if (refusal !== null) return refusal;

    const handle = await promises.open(path, flags);
    // Looked at again, because the path may have been exchanged since.
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      return refuse(path, stats);
    }
    return { kind: 'open', handle, bytes: stats.size };
  } catch (error) {
    return describeFailure(path, error);
  }
}

export type OpenedNow = { readonly kind: 'open'; readonly fd: number; readonly bytes: number } | Refusal;

/** The same at once, for small files: waiting for each call takes longer than the calls do. */
export function openRegularNow(path: string, root?: string): OpenedNow {
  try {
    const refusal = checkRegular(path, root);
    if (refusal !== null) return refusal;

    const fd = openSync(path, flags);
    const stats = fstatSync(fd);
    if (!stats.isFile()) {
      closeSync(fd);
      return refuse(path, stats);
    }
    return { kind: 'open', fd, bytes: stats.size };
  } catch (error) {
    return describeFailure(path, error);
  }
}

function checkRegular(path: string, root?: string): Refusal | null {
  if (root !== undefined && !checkFolders(dirname(path), { root })) return { kind: 'missing' };

  const found = lstatSync(path);
  return found.isFile() ? null : refuse(path, found);
}

function refuse(path: string, stats: Stats): Refusal {
  return { kind: 'unreadable', message: `${path} is ${describeKind(stats)}, not a regular file` };
}

function describeFailure(path: string, error: unknown): Refusal {
  if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return { kind: 'missing' };

  return { kind: 'unreadable', message: `${path} cannot be read: ${errorText(error)}` };
}
