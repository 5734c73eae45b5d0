/**
 * The private work index: everything outside `.runner/`, which gives the work its tree id. It is never the user's index,
 * carries no hidden flags, and is built again if it is missing, broken or changed by others.
 */
import { RunnerError } from '../../core/errors.ts';
import { stampFile } from '../files/look-at.ts';
import { dropPrivate, ensurePrivateDir, installIndexOf, userIndexFile, writeTree } from './index-lock.ts';
import { isWhole } from './refs.ts';
import type { Repo } from './repo.ts';
import { seedFromCommit, seedFromUser, stageWork } from './staging.ts';
import type { LookRequest, Work } from './staging.ts';

export interface WorkIndex {
  /** Contract: the tree of HEAD outside `.runner/`, for a work tree that is clean; nothing is scanned. `isUsers`: the user's index serves. */
  loadBaseline(request: { readonly isUsers: boolean; readonly commit: string }): Promise<string>;
  /** Contract: the work as it is on disk; its objects are written. */
  load(request: LookRequest): Promise<Work>;
  /**
   * Contract: the file holds exactly this tree, which may be older than what is on disk, and git has all of it. Objects that somebody
   * pruned are written again from disk; throws GIT_FAILED when they are no longer there either.
   */
  hold(tree: string): Promise<void>;
  /** Contract: what this process did not write itself is gone, so that nobody copies it. */
  distrust(): void;
  /** Contract: the user's index is that of the commit, without flags that hide files; made again unless nobody touched it. */
  putUsersBack(commit: string): Promise<void>;
}

export function workIndex(repo: Repo): WorkIndex {
  const file = repo.files.index;
  /** The file as we left it, what it began with and the tree it held; null: not ours. */
  let known: { readonly stamp: string; readonly base: string | null; readonly tree: string } | null = null;
  let last: LookRequest = { commit: null, iter: 0 };
  /** The user's index as it was when it was known to be that of a commit. */
  let users: { readonly stamp: string; readonly commit: string } | null = null;
  const note = (base: string | null, tree: string): string => {
    known = { stamp: stampFile(file), base, tree };
    return tree;
  };
  const isOurs = (): boolean => known !== null && known.stamp === stampFile(file);
  const drop = (): void => {
    known = null;
    [file, `${file}.lock`].forEach(dropPrivate);
  };
  const distrust = (): void => {
    if (isOurs()) dropPrivate(`${file}.lock`);
    else drop();
  };
  const loadAgain = async (request: LookRequest): Promise<Work> => {
    await ensurePrivateDir(repo);
    distrust();
    if (known === null || known.base !== request.commit) await seedFromCommit(repo, request.commit);
    // Half staged is not used again.
    known = null;
    last = request;
    const work = await stageWork(repo, request);
    note(request.commit, work.tree);
    return work;
  };
  return {
    loadBaseline: async ({ isUsers, commit }) => {
      await ensurePrivateDir(repo);
      drop();
      await (isUsers ? seedFromUser(repo) : seedFromCommit(repo, commit));
      users = isUsers ? { stamp: stampFile(userIndexFile(repo)), commit } : null;
      return note(commit, await writeTree(repo, file));
    },
    load: async (request) => {
      try {
        return await loadAgain(request);
      } catch (error) {
        // Objects that no commit holds may have been pruned since; an index from scratch writes them again.
        if (!(error instanceof RunnerError) || error.code !== 'GIT_FAILED') throw error;

        drop();
        return loadAgain(request);
      }
    },
    hold: async (tree) => {
      if (!(await isWhole(repo, tree))) {
        drop();
        requireSame(tree, (await loadAgain(last)).tree);
      }
      if (isOurs() && known?.tree === tree) return;

      await ensurePrivateDir(repo);
      drop();
      await repo.git.run(['read-tree', tree], { index: file, writes: true });
      note(tree, tree);
    },
    distrust,
    putUsersBack: async (commit) => {
      if (users?.commit === commit && users.stamp === stampFile(userIndexFile(repo))) return;
      await installIndexOf(repo, commit);
      users = { stamp: stampFile(userIndexFile(repo)), commit };
    },
  };
}

function requireSame(wanted: string, found: string): void {
  if (found !== wanted) {
    throw new RunnerError({
      code: 'GIT_FAILED',
      message: 'git no longer has the work that was checked, and the files have changed since',
      hint: 'runner step',
    });
  }
}
