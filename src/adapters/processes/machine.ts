/** Free space, writable folders and processes left behind, for `doctor`. Reads only. */
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import type { Env } from '../../core/types.ts';
import { cookieVariable, processTable } from './process-table.ts';

export async function loadFreeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Missing folders are not reported. */
export async function listUnwritable(folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const isThere = await access(folder).then(
      () => true,
      () => false,
    );
    const isWritable = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isThere && !isWritable) found.push(folder);
  }
  return found;
}

/** Whatever a session of this work tree started; inside a session its own processes are no leftovers. */
export async function listLeftovers(top: string, env: Env): Promise<readonly string[]> {
  const table = processTable();
  const cookie = env[cookieVariable] ?? '';
  const own = new Set(cookie === '' ? [] : await table.listSession({ cookie, groupId: null }));
  const pids = (await table.listMarked(`RUNNER_WORK_TREE=${top}`)).filter((pid) => !own.has(pid));
  return Promise.all(pids.map((pid) => table.describeProcess(pid)));
}
