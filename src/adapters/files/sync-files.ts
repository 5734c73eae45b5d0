/** Makes several written files durable at the same time, so that one trip to the disk serves many. */
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
  const files = (await listDir(dir)).filter(({ kind }) => kind === 'file');
  await Promise.all(files.map(({ name }) => syncFile(join(dir, name), synced)));
}

async function syncFile(path: string, synced: Synced): Promise<void> {
  try {
    const stamp = stampFile(path);
    const opened = synced.get(path) === stamp ? null : openRegularNow(path);
    if (opened?.kind === 'open') {
      await syncAndClose(opened.fd);
      synced.set(path, stamp);
    }
  } catch (cause) {
    throw diskError({ action: 'sync', path, cause });
  }
}

/** Names in the folders, see `syncFolder`. */
export async function syncFolders(folders: Iterable<string>): Promise<void> {
  await Promise.all(Array.from(folders, syncOneFolder));
}

async function syncOneFolder(folder: string): Promise<void> {
  try {
    await syncAndClose(openSync(folder, 'r'));
  } catch (cause) {
    if (!isUnsyncable(cause)) throw diskError({ action: 'sync', path: join(folder, '.'), cause });
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
