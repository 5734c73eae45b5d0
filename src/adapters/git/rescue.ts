/** Keeps the work on disk as a commit under a rescue ref, without touching branch, index or files (§7). */
import { join } from 'node:path';
import type { GitSettle } from '../../ports/git.ts';
import { copyIndex, withScratch, writeTree } from './index-lock.ts';
import { linesOf } from './quoted-path.ts';
import { makeCommit } from './record.ts';
import { saveRescue, treeOf } from './refs.ts';
import type { Repo } from './repo.ts';
import { stageFromDisk } from './runner-files.ts';
import type { LookRequest } from './staging.ts';
import type { WorkIndex } from './work-index.ts';

/** Tree id of everything a commit would hold: the work on disk and the runner's files. */
export async function loadWholeTree(repo: Repo, work: WorkIndex, look: LookRequest): Promise<string> {
  await work.load(look);
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await copyIndex(repo.files.index, index);
    await stageFromDisk(repo, index);
    return writeTree(repo, index);
  });
}

/** The same for an earlier tree of the work. */
function wholeTreeWith(repo: Repo, workTree: string): Promise<string> {
  return withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', workTree], { index });
    await stageFromDisk(repo, index);
    return writeTree(repo, index);
  });
}

export async function runRescue(
  repo: Repo,
  work: WorkIndex,
  { run_id, iter, parent, workTree }: Parameters<GitSettle['rescueWork']>[0],
): Promise<string> {
  const tree = await (workTree === undefined
    ? loadWholeTree(repo, work, { commit: parent, iter })
    : wholeTreeWith(repo, workTree));
  // Repeated after a crash it finds what it saved before.
  const format = '--format=%(refname)%00%(tree)%00%(parent)';
  const saved = await repo.git.run(['for-each-ref', format, `refs/runner/rescue/${run_id}/`]);
  const held = linesOf(saved.stdout.toString('utf8'))
    .map((line) => line.split('\0'))
    .find(([, heldTree, parents]) => heldTree === tree && parents === parent);
  if (held !== undefined) return held[0] ?? '';

  const message = `runner: work of run ${run_id} iteration ${iter}, kept\n`;
  const isEmpty = tree === (await treeOf(repo, parent));
  const commit = isEmpty ? parent : await makeCommit(repo, { tree, parent, sign: false, message });
  return (await saveRescue(repo, { run_id, name: String(iter), commit })).ref;
}
