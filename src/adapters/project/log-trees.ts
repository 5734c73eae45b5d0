/**
 * Keeps the trees in a run's log from taking more room than all else (§8): what commits hold is kept beside them only for the newest
 * iterations. Links to equal files would not help: after every pass the tree is another one. It removes nothing that only the log has,
 * follows no link, and never fails an iteration.
 */
import { readFileSync, unlinkSync } from 'node:fs';
import { textFileBytesMax, treeLogBytesMax, treeLogsMin } from '../../core/limits.ts';
import { parseMeta } from '../../core/iteration/iteration-meta.ts';
import { checkFolders } from '../files/folders.ts';
import type { Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { loadSmallFile } from '../files/small-file.ts';

interface Place {
  readonly run_id: string;
  readonly iter: number;
}

/** Contract: the given iteration is complete. */
export function thinTrees(place: Layout, { run_id, iter }: Place): void {
  const { treeBefore, treeAgent, treeAfter } = place.iteration({ run_id, iter });
  const bytes = [treeBefore, treeAgent, treeAfter].reduce((sum, file) => sum + (lookAt(file)?.size ?? 0), 0);
  const kept = Math.max(treeLogsMin, Math.floor(treeLogBytesMax / Math.max(1, bytes)));
  // Back to where it was done before: of a tree that grows fewer fit each time.
  for (let old = iter - kept; old > 0 && dropTrees(place, { run_id, iter: old }); old -= 1);
}

/** False: there was nothing to remove. */
function dropTrees(place: Layout, old: Place): boolean {
  const { dir, meta, treeBefore, treeAgent, treeAfter } = place.iteration(old);
  try {
    if (!checkFolders(dir, { root: place.iterationsRoot })) return false;
    if (lookAt(treeAfter)?.isFile() !== true) return false;
    const text = loadSmallFile(meta, textFileBytesMax);
    if (text === null || (parseMeta(text, old)?.commit ?? '') === '') return false;
    if ([treeBefore, treeAfter].some((file) => isSame(treeAgent, file))) unlinkSync(treeAgent);
    if (lookAt(treeBefore)?.isFile() === true) unlinkSync(treeBefore);
    unlinkSync(treeAfter);
    return true;
  } catch {
    return false;
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [lookAt(one), lookAt(other)];
  if (a?.isFile() !== true || b?.isFile() !== true || a.size !== b.size) return false;
  return readFileSync(one).equals(readFileSync(other));
}
