/** How much a folder takes: the bytes of all regular files below it. Follows no link, and counts what it can read. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How many folders are read at once. */
const foldersAtOnce = 16;

/** Null: there is no such folder. */
export async function folderSize(path: string): Promise<number | null> {
  const root = await lstat(path).catch(() => null);
  if (root?.isDirectory() !== true) return null;
  const pending = [path];
  let bytes = 0;
  while (pending.length > 0) {
    const found = await Promise.all(pending.splice(-foldersAtOnce).map(readFolder));
    for (const folder of found) {
      bytes += folder.bytes;
      pending.push(...folder.below);
    }
  }
  return bytes;
}

async function readFolder(path: string): Promise<{ bytes: number; below: readonly string[] }> {
  // One that is removed meanwhile has nothing in it.
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ name }) =>
      lstat(join(path, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    below: entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name)),
  };
}
