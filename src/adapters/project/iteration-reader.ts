/**
 * Reads `.runner/iterations/` (§8): the runs and iterations, their records and files. All of it is data: half-written, missing
 * and foreign files are skipped, links are not followed, and nothing is ever written.
 */
import { lstatSync, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { textFileBytesMax } from '../../core/limits.ts';
import type {
  IterationPlace,
  IterationReader,
  LineFollower,
  LogFile,
  LogPlace,
} from '../../ports/iteration-reader.ts';
import { errorText } from '../files/disk-error.ts';
import { listDir, loadText } from '../files/files.ts';
import { checkFolders } from '../files/folders.ts';
import { follow } from '../files/follow.ts';
import type { Follower } from '../files/follow.ts';
import type { Layout } from '../files/layout.ts';
import { lineReader } from '../files/line-reader.ts';
import { openRegular } from '../files/regular-file.ts';
import { loadSmallFile } from '../files/small-file.ts';

const chunkBytes = 64 * 1024;

export function iterationReader(place: Layout): IterationReader {
  const root = place.iterationsRoot;
  const fileOf = (log: LogPlace): string => place.iteration(log).file(log.name);
  return {
    listRuns: async () => (await listFolders(place.iterationsDir, root)).filter(isPlainName),
    listIterations: async (runId) => {
      if (!isPlainName(runId)) return [];

      const names = await listFolders(place.runDir(runId), root);
      return names
        .filter((name) => /^[1-9][0-9]{0,14}$/.test(name))
        .map(Number)
        .toSorted((a, b) => a - b);
    },
    loadMeta: async (iteration) => {
      const { dir, meta } = place.iteration(iteration);
      const text = isFolder(dir) ? loadSmallFile(meta, textFileBytesMax) : null;
      if (text === null) return null;

      const { parseMeta } = await import('../../core/iteration/iteration-meta.ts');
      return parseMeta(text, iteration);
    },
    listFiles: (iteration) => listFiles(place, iteration),
    read: (log, bytesMax) => loadText(fileOf(log), { root, bytesMax }),
    stream: async (log, onPiece) => {
      const opened = await openRegular(fileOf(log), root);
      if (opened.kind !== 'open') return opened;

      try {
        await streamPieces(opened.handle, opened.bytes, onPiece);
        return { kind: 'read' };
      } catch (error) {
        return { kind: 'unreadable', message: `${fileOf(log)} cannot be read: ${errorText(error)}` };
      } finally {
        await opened.handle.close();
      }
    },
    follow: (log) => lineFollower(fileOf(log), root),
  };
}

/** A run's name comes from files and from the command line; it must not lead elsewhere. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);
}

async function listFolders(path: string, root: string): Promise<readonly string[]> {
  if (!checkFolders(path, { root })) return [];

  const entries = await listDir(path);
  return entries.filter(({ kind }) => kind === 'folder').map(({ name }) => name);
}

/** At once, because a list asks it a thousand times. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function listFiles(place: Layout, iteration: IterationPlace): Promise<readonly LogFile[]> {
  const { dir, file } = place.iteration(iteration);
  const files: LogFile[] = [];
  for (const { name, kind } of isFolder(dir) ? await listDir(dir) : []) {
    const stats = kind === 'file' ? await promises.lstat(file(name)).catch(() => null) : null;
    if (stats !== null) files.push({ name, bytes: stats.size, path: join(dir, name) });
  }
  return files;
}

/** Up to the size it had at the beginning: a file that grows as fast as it is read would never end. */
async function streamPieces(
  handle: FileHandle,
  size: number,
  onPiece: (text: string) => Promise<boolean>,
): Promise<void> {
  const buffer = Buffer.alloc(chunkBytes);
  const decoder = new StringDecoder('utf8');
  for (let position = 0; position < size;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, size - position), position);
    if (bytesRead === 0 || !(await onPiece(decoder.write(buffer.subarray(0, bytesRead))))) return;

    position += bytesRead;
  }
  await onPiece(decoder.end());
}

interface Followed {
  readonly handle: FileHandle;
  readonly follower: Follower;
}

function lineFollower(path: string, root: string): LineFollower {
  let lines: string[] = [];
  let followed: Followed | null = null;

  async function open(): Promise<Followed | null> {
    const opened = await openRegular(path, root);
    if (opened.kind !== 'open') return null;

    const onChunk = lineReader((line) => lines.push(line));
    const { handle } = opened;
    return { handle, follower: follow({ handle, position: 0, onChunk, followAll: true }) };
  }

  async function readAll({ handle, follower }: Followed): Promise<void> {
    const { size } = await handle.stat();
    while (await follower.readSome(size)) {
      // Bounded by the size it had.
    }
  }

  async function close(): Promise<void> {
    await followed?.handle.close();
    followed = null;
  }

  return {
    close,
    readNew: async () => {
      lines = [];
      if (followed !== null) await readAll(followed);

      // A folder that steps aside takes its file along, and another one begins in its place.
      if (followed === null || (await isReplaced(followed.handle, path))) {
        await close();
        followed = await open();
        if (followed !== null) await readAll(followed);
      }
      return lines;
    },
  };
}

async function isReplaced(handle: FileHandle, path: string): Promise<boolean> {
  const [held, found] = await Promise.all([handle.stat(), promises.lstat(path).catch(() => null)]);
  return found !== null && (found.ino !== held.ino || found.dev !== held.dev);
}
