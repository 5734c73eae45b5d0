/** Makes files durable that were written without waiting for it: at the same time, so that one trip to the disk serves many. */
import { closeSync, fsync, openSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from './disk-error.ts';
import { listDir } from './files.ts';
import { isUnsyncable } from './folders.ts';
import { stampFile } from './look-at.ts';
import { openRegularNow } from './regular-file.ts';

/** What was synced, with its stamp at that time. */
export type Synced = Map<string, string>;

/** Every file of the folder, not those in folders inside it, but for what is as it was when it was synced. Throws DISK. */
export async function syncFiles(dir: string, synced: Synced): Promise<void> {
  const work: Promise<void>[] = [];
  for (const { name, kind } of await listDir(dir)) {
    const path = join(dir, name);
    const stamp = kind === 'file' ? stampFile(path) : '';
    const opened = stamp === '' || synced.get(path) === stamp ? null : openRegularNow(path);
    if (opened?.kind === 'open') {
      const { fd } = opened;
      work.push(syncLog(fd, path));
      synced.set(path, stamp);
    }
  }
  await Promise.all(work);
}

/** Names in the folders, see `syncFolder`. */
export async function syncFolders(folders: Iterable<string>): Promise<void> {
  await Promise.all(Array.from(folders, syncOneFolder));
}

async function syncOneFolder(folder: string): Promise<void> {
  try {
    await syncAndClose(openSync(folder, 'r'));
  } catch (cause) {
    if (!isUnsyncable(cause)) {
      throw diskError({ action: 'sync', path: join(folder, '.'), cause });
    }
  }
}

async function syncLog(fd: number, path: string): Promise<void> {
  try {
    await syncAndClose(fd);
  } catch (cause) {
    throw diskError({ action: 'sync', path, cause });
  }
}

function syncAndClose(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => {
      closeSync(fd);
      if (error === null) resolve();
      else reject(error);
    });
  });
}
