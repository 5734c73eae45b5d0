/** Finds what a path of the work tree or git folder holds. Reads only; only `realPath` follows a link at the end of the path. */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';

/** Null when nothing is there, or when a parent is not a folder or denies access. */
export function lookAt(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Whether a real folder is there. */
export function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}

/** Whether a regular file with exactly these bytes is there. */
export function holdsBytes(path: string, bytes: Buffer): boolean {
  const found = lookAt(path);
  try {
    return found?.isFile() === true && found.size === bytes.length && readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}

/** Changes whenever a file is written or replaced; empty when there is no file. */
export function stampFile(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}

/** Where links lead; the path itself where nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
