/**
 * Index files: the private ones beside the journal, and putting one in place of the user's index in one instant. git writes them all;
 * this file only copies, locks and renames, and only in the git folder.
 */
import { constants, copyFileSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { diskError, errorCode } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { ensureDir } from '../files/files.ts';
import { syncFolder } from '../files/folders.ts';
import { lookAt } from '../files/look-at.ts';
import { lockedError } from './errors.ts';
import { describeOwners } from './lock-owner.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';

const lockWaitMs = 2000;
const lockPollMs = 50;
const scratchPrefix = 'scratch-';

export async function ensurePrivateDir(repo: Repo): Promise<void> {
  await ensureDir(repo.files.root, { root: repo.gitDir });
}

export function userIndexFile(repo: Repo): string {
  return join(repo.gitDir, 'index');
}

/** The index a commit is made from; it becomes the user's index. */
export function commitIndexFile(repo: Repo): string {
  return join(repo.files.root, 'commit-index');
}

/** A file of ours; a session may have put a folder in its place. */
export function dropPrivate(path: string): void {
  const found = lookAt(path);
  if (found !== null) rmSync(path, { force: true, recursive: found.isDirectory() });
}

/** The copy keeps the time of the original, by which git knows which entries it must not trust without reading. */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    [to, `${to}.lock`].forEach(dropPrivate);
    await copyFile(from, to);
    const { atime, mtimeMs } = await stat(from);
    await utimes(to, atime, Math.floor(mtimeMs) / 1000);
  } catch (cause) {
    throw diskError({ action: 'write', path: to, cause });
  }
}

/** A throw-away folder for index files; what a crash leaves is swept by `sweepScratch`. */
export async function withScratch<T>(repo: Repo, use: (folder: string) => Promise<T>): Promise<T> {
  await ensurePrivateDir(repo);
  const folder = await mkdtemp(join(repo.files.root, scratchPrefix));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function sweepScratch(repo: Repo): void {
  const names = lookAt(repo.files.root)?.isDirectory() === true ? readdirSync(repo.files.root) : [];
  names
    .filter((name) => name.startsWith(scratchPrefix))
    .forEach((name) => rmSync(join(repo.files.root, name), { recursive: true, force: true }));
}

export interface IndexLock {
  /** Contract: the locked file is now the user's index; durable. */
  install(): void;
  /** Contract: the user's index stays as it was; never throws. */
  release(): Promise<void>;
}

/** Takes git's own lock with the whole new index as its content, so that installing it is one rename. */
export async function lockIndex(repo: Repo, file: string): Promise<IndexLock> {
  const index = userIndexFile(repo);
  const lock = `${index}.lock`;
  await takeLock(repo, { file, lock });
  failpoint('index:locked');
  return {
    install: () => {
      try {
        renameSync(lock, index);
        failpoint('index:installed');
        rmSync(file, { force: true });
        syncFolder(repo.gitDir);
      } catch (cause) {
        throw diskError({ action: 'replace', path: index, cause });
      }
    },
    release: () => rm(lock, { force: true }).catch(() => undefined),
  };
}

async function takeLock(
  repo: Repo,
  { file, lock }: { readonly file: string; readonly lock: string },
): Promise<void> {
  for (const endMs = performance.now() + lockWaitMs; ;) {
    try {
      linkOrCopy(file, lock);
      return;
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST') throw diskError({ action: 'write', path: lock, cause });

      if (performance.now() > endMs) throw lockedError([lock], await describeOwners(repo, [lock]));

      await sleep(lockPollMs);
    }
  }
}

function linkOrCopy(file: string, lock: string): void {
  try {
    linkSync(file, lock);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;

    // Some file systems have no hard links.
    copyFileSync(file, lock, constants.COPYFILE_EXCL);
  }
}

/** A lock that is the very file we were about to install is ours, left by a crash (§7). */
export function removeOwnIndexLock(repo: Repo): void {
  const lock = `${userIndexFile(repo)}.lock`;
  const [left, own] = [lookAt(lock), lookAt(commitIndexFile(repo))];
  if (left !== null && left.ino === own?.ino && left.dev === own.dev) rmSync(lock, { force: true });
}

/** A whole index of a commit, which becomes the user's: no staged changes, conflicts or flags that hide files. */
export async function installIndexOf(repo: Repo, commit: string): Promise<void> {
  await ensurePrivateDir(repo);
  (await lockIndex(repo, await makeIndexOf(repo, commit))).install();
}

/** Files that are unchanged since the private index was written need not be read again by the user's next git command. */
export async function makeIndexOf(repo: Repo, commit: string): Promise<string> {
  const index = commitIndexFile(repo);
  const drop = (): void => [index, `${index}.lock`].forEach(dropPrivate);
  drop();
  if (lookAt(repo.files.index)?.isFile() === true) await copyIndex(repo.files.index, index);

  try {
    await repo.git.run(['read-tree', '--reset', commit], { index, writes: true });
  } catch {
    // A private index that somebody damaged must not spoil the user's.
    drop();
    await repo.git.run(['read-tree', '--reset', commit], { index, writes: true });
  }
  return index;
}

/** The tree of an index, its objects written. */
export async function writeTree({ git }: Repo, index: string): Promise<string> {
  return textOf((await git.run(['write-tree'], { index, writes: true })).stdout);
}
