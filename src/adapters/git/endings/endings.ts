/** The port of whole runs' ends: passes each method to the file that implements it. */
import type { RunEndings } from '../../../ports/endings.ts';
import { moveRef, refCommit } from '../refs.ts';
import { gitElsewhere } from '../repo.ts';
import type { Repo } from '../repo.ts';
import { isBranchName, listArchives, loadBytes, runDropBranch, runDropRef, saveArchive } from './archive.ts';
import { commitInClone } from './clone-commit.ts';
import { commitTree, findFinish, findMergeBase, layRunner, mergeWork } from './merge.ts';
import { findUnsaved, isKept } from './unsaved.ts';
import {
  listChangedAt,
  listWorkTrees,
  runBeginMerge,
  runForward,
  runLeave,
  runRemoveWorkTree,
} from './work-trees.ts';

/** Seen from the common git folder: refs and work trees must be at hand also when the work tree we are in is removed. */
function atHome(repo: Repo): Repo {
  const { commonDir } = repo;
  const git = gitElsewhere(repo, { cwd: commonDir, gitDir: commonDir });
  return { ...repo, top: commonDir, gitDir: commonDir, git };
}

export function runEndings(open: () => Promise<Repo>): RunEndings {
  const home = async (): Promise<Repo> => atHome(await open());
  return {
    mergeBase: async (sides) => findMergeBase(await open(), sides),
    merge: async (sides) => mergeWork(await open(), sides),
    layRunner: async (request) => layRunner(await open(), request),
    makeCommit: async (request) => commitTree(await open(), request),
    commitInClone: async (request) => commitInClone(await open(), request),
    findFinish: async (request) => findFinish(await open(), request),
    listWorkTrees: async () => listWorkTrees(await home()),
    commitOf: async (ref) => refCommit(await home(), ref),
    isBranchName: async (name) => isBranchName(await home(), name),
    listChanged: async (path) => listChangedAt(await home(), path),
    archive: async (request) => saveArchive(await home(), request),
    moveBranch: async ({ branch, from, to, reason }) =>
      moveRef(await home(), { ref: `refs/heads/${branch}`, to, from: from ?? '', reason }),
    forward: async (request) => runForward(await home(), request),
    beginMerge: async (request) => runBeginMerge(await open(), request),
    leave: async (request) => runLeave(await home(), request),
    dropBranch: async (request) => runDropBranch(await home(), request),
    isKept: async (commit) => isKept(await home(), commit),
    findUnsaved: async (path) => findUnsaved(await home(), path),
    removeWorkTree: async (request) => runRemoveWorkTree(await home(), request),
    listArchives: async () => listArchives(await home()),
    bytesOf: async (ref) => loadBytes(await home(), ref),
    dropRef: async (ref) => runDropRef(await home(), ref),
  };
}
