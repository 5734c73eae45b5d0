/**
 * Git's lock files: which ones block us, who owns them, and moving dead ones aside (§7). A lock whose owner may live, for
 * example a `git commit` that waits for an editor, is waited for and then reported, never removed.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskError } from '../files/disk-error.ts';
import { moveAside } from '../files/files.ts';
import { lookAt } from '../files/look-at.ts';
import { lockedError } from './errors.ts';
import { dropPrivate, ensurePrivateDir, removeOwnIndexLock } from './index-lock.ts';
import { describeOwners } from './lock-owner.ts';
import { holdRef } from './refs.ts';
import type { Repo } from './repo.ts';

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
    ...(branch === null ? [] : [`${join(repo.commonDir, holdRef(branch.replace(/^runner\//, '')))}.lock`]),
  ].filter((path) => lookAt(path) !== null);
}

/** A git at work is gone in a moment; one that stays is reported. */
export async function checkForeignLocks(repo: Repo, branch: string | null): Promise<void> {
  const left = await waitForLocks(repo, branch);
  if (left.length > 0) throw lockedError(left, await describeOwners(repo, left));
}

async function waitForLocks(repo: Repo, branch: string | null): Promise<readonly string[]> {
  for (const endMs = performance.now() + waitMs; ;) {
    const found = listLocks(repo, branch);
    if (found.length === 0 || performance.now() > endMs) return found;

    await sleep(pollMs);
  }
}

export interface LockRequest {
  readonly branch: string;
  /** Folder name below the quarantine. */
  readonly place: string;
}

/** After a session's processes have been ended: a lock is dead when no process is left that could own it. Returns notes. */
export async function clearDeadLocks(repo: Repo, { branch, place }: LockRequest): Promise<readonly string[]> {
  const locks = await waitForLocks(repo, branch);
  if (locks.length === 0) return [];

  const owners = await describeOwners(repo, locks);
  if (owners === null || owners.length > 0) throw lockedError(locks, owners);

  const notes: string[] = [];
  for (const path of locks) {
    const to = await moveAside({ from: path, toDir: repo.files.quarantine(place), root: repo.gitDir });
    if (to !== null) {
      notes.push(
        `the lock ${basename(path)} of a git process that is gone was moved to runner/quarantine/${place} in the git folder`,
      );
    }
  }
  return notes;
}

function markFile(repo: Repo): string {
  return join(repo.files.root, 'in-git');
}

/** Runs a change of refs between setting and removing a mark. */
export async function withRefMark<T>(repo: Repo, change: () => Promise<T>): Promise<T> {
  await ensurePrivateDir(repo);
  setMark(repo);
  try {
    return await change();
  } finally {
    rmSync(markFile(repo), { force: true });
  }
}

function setMark(repo: Repo): void {
  try {
    dropPrivate(markFile(repo));
    writeFileSync(markFile(repo), 'git is changing refs\n', { flag: 'wx' });
  } catch (cause) {
    throw diskError({ action: 'write', path: markFile(repo), cause });
  }
}

/**
 * Before a change: a mark that is still there says that we died inside git, so the locks nobody owns are our own
 * (§7), as is an index lock that is the very file we were about to install.
 */
export async function clearOwnLocks(repo: Repo, branch: string): Promise<void> {
  removeOwnIndexLock(repo);
  if (lookAt(markFile(repo)) !== null) {
    await clearDeadLocks(repo, { branch, place: 'own-locks' });
    dropPrivate(markFile(repo));
  }
}
