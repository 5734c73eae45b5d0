/**
 * Reads the logs of iterations (§8, §13.6): the runs and iterations, their records and files, wherever the layout says they may be.
 * All of it is data: half-written, missing and foreign files are skipped, links are not followed, and nothing is ever written.
 */
import { lstatSync, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { textFileBytesMax } from '../../core/limits.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { IterationPlace, IterationReader, LogFile, LogPlace } from '../../ports/iteration-reader.ts';
import { errorText } from '../files/disk-error.ts';
import { listDir, loadText } from '../files/files.ts';
import { checkFolders } from '../files/folders.ts';
import { iterationLayout } from '../files/layout.ts';
import type { IterationLayout, Layout } from '../files/layout.ts';
import { lineFollower } from '../files/line-follower.ts';
import { openRegular } from '../files/regular-file.ts';
import { loadSmallFile } from '../files/small-file.ts';

const chunkBytes = 64 * 1024;

export function iterationReader(place: Layout): IterationReader {
  const fileOf = (log: LogPlace): { readonly path: string; readonly root: string } => {
    const { files, root } = findIteration(place, log);
    return { path: files.file(log.name), root };
  };
  const listAll = async (pathOf: (dir: string) => string): Promise<readonly string[]> => {
    const names = place.logPlaces.map((logs) => listFolders(pathOf(logs.iterationsDir), logs.iterationsRoot));
    return [...new Set((await Promise.all(names)).flat())];
  };
  return {
    listRuns: async () => (await listAll((dir) => dir)).filter(isPlainName).toSorted(compareCodePoints),
    listIterations: async (runId) => {
      if (!isPlainName(runId)) return [];

      const names = await listAll((dir) => join(dir, runId));
      return names
        .filter((name) => /^[1-9][0-9]{0,14}$/.test(name))
        .map(Number)
        .toSorted((a, b) => a - b);
    },
    loadMeta: async (iteration) => {
      const { dir, meta } = findIteration(place, iteration).files;
      const text = isFolder(dir) ? loadSmallFile(meta, textFileBytesMax) : null;
      if (text === null) return null;

      const { parseMeta } = await import('../../core/iteration/iteration-meta.ts');
      return parseMeta(text, iteration);
    },
    listFiles: (iteration) => listFiles(place, iteration),
    read: (log, bytesMax) => {
      const { path, root } = fileOf(log);
      return loadText(path, { root, bytesMax });
    },
    stream: async (log, onPiece) => {
      const { path, root } = fileOf(log);
      const opened = await openRegular(path, root);
      if (opened.kind !== 'open') return opened;

      try {
        await streamPieces(opened.handle, opened.bytes, onPiece);
        return { kind: 'read' };
      } catch (error) {
        return { kind: 'unreadable', message: `${path} cannot be read: ${errorText(error)}` };
      } finally {
        await opened.handle.close();
      }
    },
    // Asked for each time: a run that is not there yet may begin in any of its places.
    follow: (log) => lineFollower(() => fileOf(log)),
  };
}

/** An iteration's files, and the trusted folder above them; where nobody has it, those of this project. */
export function findIteration(
  place: Layout,
  iteration: IterationPlace,
): { readonly files: IterationLayout; readonly root: string } {
  const found = place.logPlaces.find(({ iterationsDir }) =>
    isFolder(iterationLayout(iterationsDir, iteration).dir),
  );
  const { iterationsDir, iterationsRoot } = found ?? place;
  return { files: iterationLayout(iterationsDir, iteration), root: iterationsRoot };
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
  const { dir, file } = findIteration(place, iteration).files;
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
