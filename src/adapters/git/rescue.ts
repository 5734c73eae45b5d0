/** Keeps the work on disk as a commit under a rescue ref, without touching branch, index or files (§7). */
import { join } from 'node:path';
import { makeCommit } from './commit.ts';
import { withScratch } from './index-lock.ts';
import { composeIndex } from './index-file.ts';
import { saveRescue } from './refs.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { loadWorkTree } from './work-index.ts';

export interface WorkRescue {
  readonly run_id: string;
  readonly iter: number;
  readonly parent: string;
  readonly workTree?: string;
}

/** Tree id of everything a commit would hold: the work on disk and the runner's files. */
export async function loadWholeTree(repo: Repo, iter: number | null): Promise<string> {
  await loadWorkTree(repo, iter);
  return withScratch(repo, async (folder) => {
    const to = join(folder, 'index');
    return (await composeIndex(repo, { from: repo.files.index, to })).tree;
  });
}

/** The same of work as it once was. */
function wholeTreeWith(repo: Repo, workTree: string): Promise<string> {
  return withScratch(repo, async (folder) => {
    const from = join(folder, 'work');
    await repo.git(['read-tree', workTree], { index: from });
    return (await composeIndex(repo, { from, to: join(folder, 'index') })).tree;
  });
}

export async function runRescue(repo: Repo, { run_id, iter, parent, workTree }: WorkRescue): Promise<string> {
  const tree = await (workTree === undefined ? loadWholeTree(repo, iter) : wholeTreeWith(repo, workTree));
  // Repeated after a crash it finds what it saved before.
  const saved = await repo.git([
    ...['for-each-ref', '--format=%(refname)%00%(tree)%00%(parent)'],
    `refs/runner/rescue/${run_id}/`,
  ]);
  const held = saved.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\0'))
    .find(([, heldTree, parents]) => heldTree === tree && parents === parent);
  if (held !== undefined) {
    return held[0] ?? '';
  }
  const base = textOf((await repo.git(['rev-parse', '--verify', `${parent}^{tree}`])).stdout);
  const message = `runner: work of run ${run_id} iteration ${iter}, kept\n`;
  const commit = tree === base ? parent : await makeCommit(repo, { tree, parent, sign: false, message });
  return (await saveRescue(repo, { run_id, name: String(iter), commit })).ref;
}
