/** Removes unfinished writes that a crash left, found by their names. Follows no link. */
import { join } from 'node:path';
import { compareBytes, listDir, removeFile } from './files.ts';

const stagePattern = /^\.runner-stage-[0-9a-f]{32}$/;

export function isStageName(name: string): boolean {
  return stagePattern.test(name);
}

/** Removes what a crash left of unfinished writes below the folder; `skip` names sub-folders not to look into. */
export async function sweepStages(
  dir: string,
  { skip = [] }: { readonly skip?: readonly string[] } = {},
): Promise<readonly string[]> {
  const removed: string[] = [];
  const pending = [dir];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await listDir(folder)) {
      const path = join(folder, entry.name);
      if (entry.kind === 'folder' && !skip.includes(entry.name)) {
        pending.push(path);
      } else if (entry.kind === 'file' && isStageName(entry.name)) {
        await removeFile(path, { root: folder });
        removed.push(path);
      }
    }
  }
  return removed.toSorted(compareBytes);
}
