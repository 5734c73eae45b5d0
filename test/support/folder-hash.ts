/** Everything in a folder as one hash: names, kinds, modes, times of change, contents. `without`: names that are left out. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export function hashFolder(folder: string, without: readonly string[] = []): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${path}\0${stat.mode}\0${stat.mtimeMs}\0${stat.size}\0`);
    const names = stat.isDirectory() ? readdirSync(path).filter((name) => !without.includes(name)) : null;
    if (names !== null) for (const name of names.toSorted()) add(join(path, name));
    else hash.update(stat.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
  };
  add(folder);
  return hash.digest('hex');
}
