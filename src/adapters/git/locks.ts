/**
 * Git's lock files: which stand in our way, whose they are, and moving dead ones aside (§7). A lock that a living
 * process holds open, or that may be somebody else's, is named with the command, never removed.
 */
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { diskError } from '../files/disk-error.ts';
import { moveAside } from '../files/files.ts';
import { lockedError } from './errors.ts';
import { ensurePrivateDir, overwritePrivate, removeOwnIndexLock } from './index-lock.ts';
import type { Repo } from './repo.ts';
import { lookAt } from '../files/look-at.ts';

const waitMs = 2000;
const pollMs = 50;

/** Locks that stop a commit on the branch. */
export function listLocks(repo: Repo, branch: string | null): readonly string[] {
  return [
    join(repo.gitDir, 'index.lock'),
    join(repo.gitDir, 'HEAD.lock'),
    join(repo.commonDir, 'packed-refs.lock'),
    join(repo.commonDir, 'config.lock'),
    ...(branch === null ? [] : [join(repo.commonDir, 'refs', 'heads', `${branch}.lock`)]),
  ].filter((path) => lookAt(path) !== null);
}

/** A git at work is gone in a moment; one that stays is reported. */
export async function checkForeignLocks(repo: Repo, branch: string | null): Promise<void> {
  const left = await waitFor(() => listLocks(repo, branch));
  if (left.length > 0) {
    throw lockedError(left);
  }
}

async function waitFor(list: () => readonly string[]): Promise<readonly string[]> {
  for (const endMs = performance.now() + waitMs; ;) {
    const found = list();
    if (found.length === 0 || performance.now() > endMs) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

export interface LockRequest {
  readonly branch: string;
  /** Folder name below the quarantine. */
  readonly place: string;
}

/** After a session's processes have been ended: a lock nobody has open is a dead one. Returns notes. */
export async function clearDeadLocks(repo: Repo, request: LockRequest): Promise<readonly string[]> {
  let locks: readonly string[] = [];
  const live = await waitFor(() => {
    locks = listLocks(repo, request.branch);
    const open = locks.length === 0 ? new Set<string>() : openFiles();
    // Not where it leads to: a link in a lock's place is no process's lock.
    return locks.filter((path) => open.has(join(realpathSync(dirname(path)), basename(path))));
  });
  if (live.length > 0) {
    throw lockedError(live);
  }
  const notes: string[] = [];
  for (const path of locks) {
    const to = await moveAside({
      from: path,
      toDir: repo.files.quarantine(request.place),
      root: repo.gitDir,
    });
    if (to !== null) {
      notes.push(
        `the lock ${basename(path)} of a git process that is gone was moved to runner/quarantine/${request.place} in the git folder`,
      );
    }
  }
  return notes;
}

/** Paths that living processes have open. Only Linux tells; elsewhere the sweep before is all there is. */
function openFiles(): ReadonlySet<string> {
  const open = new Set<string>();
  for (const pid of listSafely('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const fd of listSafely(`/proc/${pid}/fd`)) {
      try {
        open.add(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        // Closed meanwhile, or not ours to see.
      }
    }
  }
  return open;
}

function listSafely(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function markFile(repo: Repo): string {
  return join(repo.files.root, 'in-git');
}

/** Runs a change of refs between setting and removing a mark. */
export async function withRefMark<T>(repo: Repo, change: () => Promise<T>): Promise<T> {
  await ensurePrivateDir(repo);
  setMark(repo, 'git is changing refs\n');
  try {
    return await change();
  } finally {
    setMark(repo, '');
  }
}

/** An empty one is none. */
function setMark(repo: Repo, text: string): void {
  try {
    overwritePrivate(markFile(repo), text);
  } catch (cause) {
    throw diskError({ action: 'write', path: markFile(repo), cause });
  }
}

/**
 * Before a change: a mark that is still there says that we died inside git, so the locks nobody has open are our own
 * (§7), as is an index lock that is the very file we were about to install.
 */
export async function clearOwnLocks(repo: Repo, branch: string): Promise<void> {
  await removeOwnIndexLock(repo);
  if ((lookAt(markFile(repo))?.size ?? 0) > 0) {
    await clearDeadLocks(repo, { branch, place: 'own-locks' });
    setMark(repo, '');
  }
}
