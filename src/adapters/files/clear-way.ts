/**
 * Makes way for the runner's own folders below the project (§2): a link, file or pipe in place of a folder is moved into the
 * git folder, from where `restore` takes it into the iteration log. Nothing is followed, nothing is lost.
 */
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { diskError } from './disk-error.ts';
import { listDir, moveAside, removeFile } from './files.ts';
import { foldersBelow } from './folders.ts';
import { lookAt } from './look-at.ts';
import { runnerFolder } from './layout.ts';
import type { Layout, PrivateLayout } from './layout.ts';

export interface Places {
  readonly place: Layout;
  readonly own: PrivateLayout;
  /** Top of the work tree: a session can also change the path from there to the project. */
  readonly top: string;
}

/** Not in any id, so the path can be read back from a folder's name. */
const slash = '+';

export async function clearFolders(dir: string, { place, own, top }: Places): Promise<void> {
  for (const folder of foldersBelow(place.projectDir, { root: top })) {
    if (lookAt(folder)?.isDirectory() === false)
      await moveAside({ from: folder, toDir: own.quarantine('project'), root: own.gitDir });
  }
  // A session can remove the project folder itself when it is not the top of the work tree.
  try {
    mkdirSync(place.projectDir, { recursive: true });
  } catch (cause) {
    throw diskError({ action: 'make the folder', path: place.projectDir, cause });
  }
  const root = dir.startsWith(join(place.iterationsDir, '/')) ? place.iterationsRoot : place.projectDir;
  for (const folder of foldersBelow(dir, { root })) {
    if (lookAt(folder)?.isDirectory() === false) {
      const name = relative(root, folder).replaceAll('/', slash);
      await moveAside({ from: folder, toDir: own.quarantine(name), root: own.gitDir });
    }
  }
}

/** What was moved out of the way: where it is now, and the path relative to the project that it had. */
export async function listCleared(own: PrivateLayout): Promise<readonly { from: string; path: string }[]> {
  const cleared: { from: string; path: string }[] = [];
  for (const { name } of await listDir(own.quarantineDir)) {
    // What git left behind is kept in the same place, under names of its own.
    if (name.split(slash)[0] !== runnerFolder) continue;
    for (const entry of await listDir(own.quarantine(name)))
      cleared.push({ from: join(own.quarantine(name), entry.name), path: name.replaceAll(slash, '/') });
  }
  return cleared;
}

/**
 * Removes one of our files from the git folder. If an agent put a folder there, the folder is moved aside. The next entry of the
 * journal, which is beside it, makes this durable.
 */
export async function clearFile(file: string, own: PrivateLayout): Promise<void> {
  const isFolder = lookAt(file)?.isDirectory() === true;
  await (isFolder
    ? moveAside({ from: file, toDir: own.quarantine('session'), root: own.gitDir })
    : removeFile(file, { root: own.gitDir, isDurable: false }));
}
