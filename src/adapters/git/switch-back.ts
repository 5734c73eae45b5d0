/**
 * Somebody went to another branch while a session ran, and git exchanged the files for that branch's (§5). The files that the switch alone
 * brought go back to the baseline's; whatever differs from that branch was written since, and stays.
 */
import { join } from 'node:path';
import { lookAt } from '../files/look-at.ts';
import { listChanged, listTreePaths } from './history/history.ts';
import { withScratch } from './index-lock.ts';
import { linesOf, shownPath, unquotePath } from './quoted-path.ts';
import type { Repo } from './repo.ts';
import { runRestore } from './restore.ts';

/** Returns the paths that went back. */
export async function runSwitchBack(
  repo: Repo,
  { baseline, commit }: { readonly baseline: string; readonly commit: string },
): Promise<readonly string[]> {
  const brought = await listChanged(repo, { from: baseline, to: commit, whole: true });
  const held = await listTreePaths(repo, commit);
  const written = await listWritten(repo, commit);
  const isMade = (path: string): boolean => !held.has(path) && lookAt(join(repo.top, path)) !== null;
  const paths = brought.filter((path) => !written.has(path) && !isMade(path));
  await runRestore(repo, { commit: baseline, paths });
  return paths;
}

/** What on disk is not as in the commit. */
async function listWritten(repo: Repo, commit: string): Promise<ReadonlySet<string>> {
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', commit], { index });
    await repo.git.run(['update-index', '-q', '--refresh'], { index, accept: [1] });
    const { stdout } = await repo.git.run(['diff-files', '--name-only'], { index });
    return new Set(linesOf(stdout.toString('latin1')).map((line) => shownPath(unquotePath(line))));
  });
}
