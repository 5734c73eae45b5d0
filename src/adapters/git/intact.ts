/**
 * Until a commit holds them, the objects of the work belong to nobody: a `git gc --prune=now` of an agent or a guard takes them away. What
 * is gone is written again from the commits and the files, so that no commit refers to an object that is not there.
 */
import { RunnerError } from '../../core/errors.ts';
import type { TreeOrigin } from '../../ports/git-manager.ts';
import { shellWord } from '../files/disk-error.ts';
import { objectPath } from './objects.ts';
import { listNewIds, readDiff, saveTreeDiff } from './read.ts';
import type { Diff, DiffRequest } from './read.ts';
import type { Repo } from './repo.ts';
import { loadCommitTree } from './tree.ts';
import { renewWorkTree } from './work-index.ts';
import { lookAt } from '../files/look-at.ts';

export interface Origin {
  /** Null: what is gone stays gone. */
  readonly trees: TreeOrigin | null;
  /** See `loadWork`. */
  readonly iter: number | null;
}

/** What reads trees is tried once more when git could not read them. */
export async function withTrees<T>(repo: Repo, origin: Origin, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (origin.trees === null || !(error instanceof RunnerError) || error.code !== 'GIT_FAILED') {
      throw error;
    }
    await writeAgain(repo, { trees: origin.trees, iter: origin.iter });
    return read();
  }
}

async function writeAgain(
  repo: Repo,
  { trees, iter }: { readonly trees: TreeOrigin; readonly iter: number | null },
): Promise<void> {
  await loadCommitTree(repo, trees.baseline);
  await (trees.committed === null ? renewWorkTree(repo, iter) : loadCommitTree(repo, trees.committed));
}

export interface WorkDiff extends DiffRequest {
  /** What was worked out before; objects may have gone since. Null: nothing. */
  readonly known: Diff | null;
}

/** Contract: every object in which the later tree differs is there. */
export async function saveWorkDiff(repo: Repo, request: WorkDiff, origin: Origin): Promise<Diff> {
  let { known } = request;
  return withTrees(repo, origin, async () => {
    const diff = known ?? (await readDiff(repo, request));
    known = null;
    await checkObjects(repo, [request.to, ...(diff.ids ?? (await listNewIds(repo, request)))]);
    await saveTreeDiff(repo, request, diff);
    return diff;
  });
}

async function checkObjects(repo: Repo, ids: readonly string[]): Promise<void> {
  const elsewhere = ids.filter((id) => lookAt(objectPath(repo, id))?.isFile() !== true);
  if (elsewhere.length === 0) {
    return;
  }
  const input = Buffer.from(elsewhere.map((id) => `${id}\n`).join(''));
  const { stdout } = await repo.git(['cat-file', '--batch-check=%(objecttype)'], { input });
  const missing = stdout.toString('latin1').match(/^.* missing$/gm) ?? [];
  if (missing.length > 0) {
    throw new RunnerError({
      code: 'GIT_FAILED',
      message: `objects of the work are no longer in the git folder: ${missing.length}`,
      details: missing.slice(0, 5),
      hint: `git -C ${shellWord(repo.top)} fsck`,
    });
  }
}
