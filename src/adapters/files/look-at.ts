/** What stands at a path of the work tree or git folder. Reads only and follows no link at the end of the path. */
import { lstatSync, readFileSync } from 'node:fs';
import type { Stats } from 'node:fs';

/** Null when nothing stands there, also because something on the way is no folder or refuses. */
export function lookAt(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
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

/** Nobody can write to a file, or replace it, and leave all of this as it was; empty when there is none. */
export function stampFile(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
