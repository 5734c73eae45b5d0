/**
 * One walk through the work tree before git reads it (§14): pipes, sockets and devices that a session made are moved into the git folder,
 * because opening one may never end and no commit can hold it. It follows no link and looks into no `.git`.
 */
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { localFolders } from '../../core/iteration/initial-files.ts';
import { diskError, errorCode } from '../files/disk-error.ts';
import { ensureDir } from '../files/files.ts';
import { describeKind } from '../files/folders.ts';
import { isOff } from '../files/test-switch.ts';
import { shownPath } from './quoted-path.ts';
import { asBytes, workPath } from './repo.ts';
import type { Repo } from './repo.ts';

/** Git opens these wherever they are. */
const gitNames = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
/** Below what the system takes as a path, with room for one more name. */
const pathBytesMax = 3800;
const shownMax = 100;
/** Clocks of disks and machines differ a little. */
const clockSlackMs = 2000;

/** Paths relative to the top as latin1 text, which holds every byte. */
interface Found {
  readonly special: string[];
  /** Folders with a `.git` in them, the top apart. */
  readonly gitFolders: string[];
  /** Folders with something in them whose path is too long for git. */
  readonly deep: Set<string>;
}

export interface Cleared {
  readonly notes: readonly string[];
  readonly gitFolders: readonly string[];
}

export async function clearWork(repo: Repo, iter: number): Promise<Cleared> {
  const found = walk(repo);
  const notes: string[] = [];
  const since = repo.sinceMs?.() ?? null;
  for (const path of isOff('special') ? [] : [...found.special, ...found.deep]) {
    const stats = lstatSync(workPath(repo, path), { throwIfNoEntry: false });
    // A server of the user's may have its socket here; what was there before the session stays.
    const isOlder = since !== null && stats !== undefined && stats.ctimeMs < since - clockSlackMs;
    const isHarmless = isOlder && !stats.isDirectory() && !gitNames.has(nameOf(path));
    if (stats === undefined || isHarmless) continue;

    const what = stats.isDirectory() ? 'a folder with paths that are too long for git' : describeKind(stats);
    await moveOut(repo, { path, iter });
    const name = JSON.stringify(shownPath(path).slice(0, shownMax));
    notes.push(
      `moved ${name}, ${what}, out of the work tree; it is kept in the git folder under runner/special/${iter}`,
    );
  }
  return { notes, gitFolders: found.gitFolders };
}

/** The file of the work tree with the most bytes, ignored or not; its path as latin1 text from the top. */
export function findLargest(repo: Repo): { readonly path: string; readonly bytes: number } {
  let largest = { path: '', bytes: -1 };
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listFolder(repo, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(...(entry.name === '.git' ? [] : [path]));
      const bytes = entry.isFile()
        ? (lstatSync(workPath(repo, path), { throwIfNoEntry: false })?.size ?? 0)
        : -1;
      if (bytes > largest.bytes) largest = { path, bytes };
    }
  }
  return largest;
}

function walk(repo: Repo): Found {
  const found: Found = { special: [], gitFolders: [], deep: new Set() };
  const runner = asBytes(repo.runnerPath);
  const local = new Set(localFolders.map((name) => `${runner}/${name}`));
  const room = pathBytesMax - Buffer.byteLength(repo.top);
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const isRunners = folder === runner || folder.startsWith(`${runner}/`);
    for (const entry of listFolder(repo, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path.length > room && folder !== '') found.deep.add(folder);
      else if (entry.name === '.git') found.gitFolders.push(folder);
      else if (entry.isDirectory()) pending.push(...(local.has(path) ? [] : [path]));
      // Other strange files below `.runner` are put back with the runner's own files.
      else if (isSpecial(entry) && (!isRunners || gitNames.has(entry.name))) found.special.push(path);
    }
  }
  return { ...found, gitFolders: found.gitFolders.filter((folder) => folder !== '') };
}

type Entry = ReturnType<typeof listFolder>[number];

function isSpecial(entry: Entry): boolean {
  return !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink();
}

/** Empty when it cannot be opened: git will say so. */
function listFolder(repo: Repo, folder: string) {
  try {
    return readdirSync(workPath(repo, folder), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function moveOut(
  repo: Repo,
  { path, iter }: { readonly path: string; readonly iter: number },
): Promise<void> {
  const folder = repo.files.special(iter);
  await ensureDir(folder, { root: repo.gitDir });
  const from = workPath(repo, path);
  const name = shownPath(nameOf(path))
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 60);
  try {
    renameSync(from, join(folder, `${readdirSync(folder).length + 1}-${name}`));
  } catch (cause) {
    // On another disk: a pipe or socket holds nothing that could be copied.
    if (errorCode(cause) !== 'EXDEV' || lstatSync(from).isDirectory())
      throw diskError({ action: 'move aside', path: from.toString('utf8'), cause });

    rmSync(from);
  }
}
