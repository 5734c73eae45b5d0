/**
 * What is known because the last commit is our own: as long as nothing on disk differs from it, the work tree is clean and git need
 * not be asked about it again. Branch, index and `.runner/` are compared every time. The work itself was looked at moments before the
 * commit; only the very next look, with which the next iteration begins, takes that for an answer.
 */
import { join } from 'node:path';
import type { GitSnapshot } from '../../ports/git-manager.ts';
import { stampIndex } from './index-lock.ts';
import { lookAt } from '../files/look-at.ts';
import type { BaselineFile } from './read.ts';
import { headCommitQuick, headRef } from './repo.ts';
import type { Repo } from './repo.ts';
import { holdsRunnerFiles } from './runner-files.ts';
import type { StagedFile } from './runner-files.ts';
import type { InstalledIndex } from './settle.ts';
import { loadWorkTree } from './work-index.ts';

export interface MadeCommit {
  readonly commit: string;
  readonly branch: string;
  readonly work_tree: string;
  /** Everything of `.runner/` in it. */
  readonly files: readonly StagedFile[];
}

export interface KnownState {
  readonly made: MadeCommit | null;
  readonly installed: InstalledIndex | null;
  readonly iter: number | null;
  /** Nothing was started, and nobody has asked, since the commit. */
  readonly isFresh: boolean;
}

/** The snapshot of a work tree that is exactly our last commit; null when it is not, or when that cannot be told like this. */
export async function readSnapshot(repo: Repo, known: KnownState): Promise<GitSnapshot | null> {
  const { made, installed, iter, isFresh } = known;
  // Submodules have a life of their own; an index that others wrote may hold anything.
  if (made === null || installed?.stamp !== stampIndex(repo) || hasSubmodules(repo)) {
    return null;
  }
  const isThere =
    (await headRef(repo)) === `refs/heads/${made.branch}` &&
    (await headCommitQuick(repo)) === made.commit &&
    holdsRunnerFiles(repo, made.files);
  if (!isThere || (!isFresh && (await loadWorkTree(repo, iter)) !== made.work_tree)) {
    return null;
  }
  const { commit: head, branch, work_tree } = made;
  return { head, branch, work_tree, dirty: [], nested_repositories: [], dirty_submodules: [] };
}

function hasSubmodules(repo: Repo): boolean {
  return lookAt(join(repo.top, '.gitmodules')) !== null;
}

/** As `git ls-tree` would list them; null when a name is no plain text. */
export function baselineOf(repo: Repo, { files }: MadeCommit): readonly BaselineFile[] | null {
  const folder = `${repo.runnerPath}/`;
  const isPlain = files.every(({ path }) => /^[\u0020-\u007e]*$/.test(path) && path.startsWith(folder));
  return isPlain ? files.map((file) => ({ ...file, path: file.path.slice(folder.length) })) : null;
}
