/** Lays files of `.runner/` from the checkout into the work tree of a background run (§13), bytes as they are on disk. Follows no link. */
import { join } from 'node:path';
import { selectLaid } from '../../core/runs/laid-files.ts';
import { stateFileBytesMax } from '../../core/limits.ts';
import { loadBytes, saveFile, walkFiles } from '../files/files.ts';
import { runnerFolder } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';

/** Returns the paths of people's files that were laid, relative to `.runner/`. */
export async function layFiles({
  from,
  to,
}: {
  readonly from: string;
  readonly to: string;
}): Promise<readonly string[]> {
  const { files } = await walkFiles(join(from, runnerFolder));
  const laid: string[] = [];
  for (const { path, replaces } of selectLaid(files)) {
    const target = join(to, runnerFolder, path);
    if (!replaces && lookAt(target) !== null) continue;
    const source = await loadBytes(join(from, runnerFolder, path), {
      bytesMax: stateFileBytesMax,
      root: from,
    });
    if (source.kind !== 'bytes') continue;
    await saveFile(target, source.bytes, { root: to });
    if (replaces) laid.push(path);
  }
  return laid;
}
