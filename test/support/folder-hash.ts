/** Everything in a folder as one hash: names, kinds, modes, times of change, contents. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${path}\0${stat.mode}\0${stat.mtimeMs}\0${stat.size}\0`);
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) add(join(path, name));
    else hash.update(stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
  };
  add(folder);
  return hash.digest('hex');
}
