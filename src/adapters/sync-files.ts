/** Makes files durable that were written without waiting for it: one trip to the disk serves many. */
import { closeSync, fsyncSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from './disk-error.ts';
import { listDir } from './files.ts';
import { openRegularNow } from './regular-file.ts';

/** Every file of the folder, not those in folders inside it. Throws DISK. */
export async function syncFiles(dir: string): Promise<void> {
  for (const { name, kind } of await listDir(dir)) {
    const path = join(dir, name);
    const opened = kind === 'file' ? openRegularNow(path) : null;
    if (opened?.kind === 'open') {
      syncOpened(path, opened.fd);
    }
  }
}

function syncOpened(path: string, fd: number): void {
  try {
    fsyncSync(fd);
  } catch (cause) {
    throw diskError({ action: 'sync', path, cause });
  } finally {
    closeSync(fd);
  }
}
