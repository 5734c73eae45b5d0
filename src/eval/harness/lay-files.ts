/**
 * Lays files of a case into a folder of a trial: copies with their links and modes, texts by path, container paths replaced. Nothing is
 * written through a link that an agent left: what is in the way is removed first.
 */
import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { diskError } from '../../adapters/files/disk-error.ts';
import { walkFiles } from '../../adapters/files/files.ts';
import { mapPaths } from '../cases/path-map.ts';
import type { PathMap } from '../cases/path-map.ts';
import { pathNames } from '../../core/text/inside-path.ts';

export interface Laying {
  /** Absolute; null: none. */
  readonly fixtureDir: string | null;
  /** Text by path; they override the fixture. */
  readonly files: Readonly<Record<string, string>>;
  readonly to: string;
  readonly map: PathMap;
}

/** Throws DISK. */
export async function layFiles({ fixtureDir, files, to, map }: Laying): Promise<void> {
  try {
    if (fixtureDir !== null) await copyFixture(fixtureDir, to, map);
    for (const [path, text] of Object.entries(files)) {
      const target = clearWay(to, path);
      writeFileSync(target, mapPaths(text, map));
    }
  } catch (cause) {
    throw diskError({ action: 'lay files into', path: to, cause });
  }
}

/** A repository inside the fixture would take the place of the workspace's own. */
async function copyFixture(from: string, to: string, map: PathMap): Promise<void> {
  const found = await walkFiles(from);
  const isKept = (path: string): boolean => !path.split('/').includes('.git');
  for (const path of found.files.filter(isKept)) {
    const source = join(from, path);
    const bytes = readFileSync(source);
    const target = clearWay(to, path);
    writeFileSync(target, map.length > 0 && isUtf8(bytes) ? mapPaths(bytes.toString('utf8'), map) : bytes);
    chmodSync(target, statSync(source).mode & 0o777);
  }
  for (const path of found.links.filter(isKept))
    symlinkSync(readlinkSync(join(from, path)), clearWay(to, path));
}

/** Folders as real folders, and nothing at the path itself. */
function clearWay(root: string, path: string): string {
  const names = pathNames(path);
  names.slice(0, -1).reduce((folder, name) => {
    const next = join(folder, name);
    const kind = lstatSync(next, { throwIfNoEntry: false });
    if (kind !== undefined && !kind.isDirectory()) rmSync(next, { force: true });
    return next;
  }, root);
  const target = join(root, ...names);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  return target;
}
