/**
 * The private work index: everything outside `.runner/`, which gives the work its tree id. It is never the user's index,
 * carries no hidden flags, and is built again if it is missing, broken or changed by others.
 */
import { RunnerError } from '../../core/errors.ts';
import { isOutOfTime } from './errors.ts';
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
  /** Contract: git has this tree as it is on disk; every object is written unless it is there. */
  rewrite(tree: string): Promise<void>;
  /** Contract: the tree that the file holds was committed, so the next baseline needs no work. */
  noteCommit(commit: string): void;
  /** Contract: what this process did not write itself is gone, so that nobody copies it. */
  distrust(): void;
  /** Contract: the user's index is that of the commit, without flags that hide files; made again unless nobody touched it. */
  putUsersBack(commit: string): Promise<void>;
}

interface Known {
  readonly stamp: string;
  readonly base: string | null;
  readonly tree: string;
  readonly commit: string | null;
}

export function workIndex(repo: Repo): WorkIndex {
  const file = repo.files.index;
  /** The file as we left it, what it began with, the tree it held and the commit that has exactly this tree; null: not ours. */
  let known: Known | null = null;
  let last: LookRequest = { commit: null, iter: 0 };
  const users = usersIndex(repo);
  const note = (now: Omit<Known, 'stamp'>): string => {
    known = { ...now, stamp: stampFile(file) };
    return now.tree;
  };
  const isOurs = (): boolean => known !== null && known.stamp === stampFile(file);
  const drop = (): void => {
    known = null;
    [file, `${file}.lock`].forEach(dropPrivate);
  };
  const distrust = (): void => (isOurs() ? dropPrivate(`${file}.lock`) : drop());
  const loadAgain = async (request: LookRequest): Promise<Work> => {
    await ensurePrivateDir(repo);
    distrust();
    if (known === null || known.base !== request.commit) await seedFromCommit(repo, request.commit);
    // Half staged is not used again.
    known = null;
    last = { commit: request.commit, iter: request.iter };
    const work = await stageWork(repo, request);
    note({ base: request.commit, tree: work.tree, commit: null });
    return work;
  };
  const rewrite = async (tree: string): Promise<void> => {
    drop();
    requireSame(tree, (await loadAgain(last)).tree);
  };
  return {
    loadBaseline: async ({ isUsers, commit }) => {
      users.note(isUsers ? commit : null);
      if (known?.commit === commit && isOurs()) return known.tree;

      await ensurePrivateDir(repo);
      drop();
      await (isUsers ? seedFromUser(repo) : seedFromCommit(repo, commit));
      return note({ base: commit, tree: await writeTree(repo, file), commit });
    },
    load: async (request) => {
      try {
        return await loadAgain(request);
      } catch (error) {
        // Objects that no commit holds may have been pruned since; an index from scratch writes them again.
        if (!(error instanceof RunnerError) || error.code !== 'GIT_FAILED' || isOutOfTime(error)) throw error;

        drop();
        return loadAgain(request);
      }
    },
    rewrite,
    hold: async (tree) => {
      if (!(await isWhole(repo, tree))) await rewrite(tree);
      if (isOurs() && known?.tree === tree) return;

      await ensurePrivateDir(repo);
      drop();
      await repo.git.run(['read-tree', tree], { index: file, writes: true });
      note({ base: tree, tree, commit: null });
    },
    noteCommit: (commit) => {
      if (known !== null) known = { ...known, base: commit, commit };
    },
    distrust,
    putUsersBack: users.putBack,
  };
}

interface UsersIndex {
  /** The commit whose index it is now known to be; null: it is of none. */
  readonly note: (commit: string | null) => void;
  readonly putBack: (commit: string) => Promise<void>;
}

function usersIndex(repo: Repo): UsersIndex {
  let known: { readonly stamp: string; readonly commit: string } | null = null;
  const note = (commit: string | null): void => {
    known = commit === null ? null : { stamp: stampFile(userIndexFile(repo)), commit };
  };
  const putBack = async (commit: string): Promise<void> => {
    if (known?.commit === commit && known.stamp === stampFile(userIndexFile(repo))) return;
    await installIndexOf(repo, commit);
    note(commit);
  };
  return { note, putBack };
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
