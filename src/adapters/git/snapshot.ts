/**
 * What git says about the work tree, changes hidden by index flags included. Reads only and takes no git lock.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirtyPath, GitSnapshot } from '../../ports/git-manager.ts';
import { lookAt } from '../files/look-at.ts';
import type { Repo } from './repo.ts';
import { parseStatus, sortDirty } from './status.ts';
import { makeTempFolder } from '../files/temp-folder.ts';

const statusArgs = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=none'];

export async function loadSnapshot(repo: Repo): Promise<GitSnapshot> {
  const [status, flags] = await Promise.all([
    repo.git([...statusArgs, '--untracked-files=all']),
    repo.git(['ls-files', '-v', '-z']),
  ]);
  const snapshot = parseStatus(status.stdout);
  if (snapshot.head === null || !hasHiddenFlag(flags.stdout)) {
    return snapshot;
  }
  const seen = new Set(snapshot.dirty.map((entry) => entry.path));
  const hidden = (await loadUnhidden(repo)).filter((entry) => !seen.has(entry.path));
  return { ...snapshot, dirty: sortDirty([...snapshot.dirty, ...hidden]) };
}

/** Without `.gitmodules` there are none to ask for. Those that are new are only in the work index. */
export async function loadDirtySubmodules(repo: Repo): Promise<readonly string[]> {
  if (lookAt(join(repo.top, '.gitmodules')) === null) {
    return [];
  }
  const index = repo.memory.index === null ? {} : { index: repo.files.index };
  const status = await repo.git([...statusArgs, '--untracked-files=no'], index);
  return parseStatus(status.stdout).dirty_submodules;
}

/** `ls-files -v` marks assume-unchanged by a small letter and skip-worktree by `S`. */
function hasHiddenFlag(listing: Buffer): boolean {
  for (let at = 0; at < listing.length;) {
    const tag = listing[at] ?? 0;
    if (tag === 0x53 || (tag >= 0x61 && tag <= 0x7a)) {
      return true;
    }
    const end = listing.indexOf(0, at);
    at = end === -1 ? listing.length : end + 1;
  }
  return false;
}

/** A fresh index from HEAD carries no flags; it lives outside the git folder, because this only reads. */
async function loadUnhidden(repo: Repo): Promise<readonly DirtyPath[]> {
  const folder = await makeTempFolder('runner-index-');
  try {
    const index = join(folder, 'index');
    await repo.git(['read-tree', 'HEAD'], { index });
    const status = await repo.git([...statusArgs, '--untracked-files=no'], { index });
    return parseStatus(status.stdout).dirty;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
