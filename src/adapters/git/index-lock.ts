/**
 * Index files: the private ones beside the journal, and putting one in place of the user's index in one instant. It
 * writes nowhere but in the git folder.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, errorCode } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { ensureDir } from '../files/files.ts';
import { syncFolder } from '../files/folders.ts';
import { lockedError } from './errors.ts';
import type { Repo } from './repo.ts';
import { lookAt, stampFile } from '../files/look-at.ts';

const lockWaitMs = 2000;
const lockPollMs = 50;
const scratchPrefix = 'scratch-';

export async function ensurePrivateDir(repo: Repo): Promise<void> {
  await ensureDir(repo.files.root, { root: repo.gitDir });
}

/** The index a commit is made from; it becomes the user's index. */
export function commitIndexFile(repo: Repo): string {
  return join(repo.files.root, 'commit-index');
}

/** A file of ours; a session may have put a folder in its place. */
export function dropPrivate(path: string): void {
  const found = lookAt(path);
  if (found !== null) {
    rmSync(path, { force: true, recursive: found.isDirectory() });
  }
}

/** In place: what would be torn by a crash is only worth less then. What is no plain file of ours makes way for one. */
export function overwritePrivate(path: string, text: string): void {
  const found = lookAt(path);
  const isOurs = found?.isFile() === true && found.nlink === 1;
  const fd = (isOurs ? openSafely(path) : null) ?? openNew(path);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Null when we may not write it. */
function openSafely(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
}

function openNew(path: string): number {
  dropPrivate(path);
  return openSync(path, 'wx');
}

/** The copy keeps the time of the original, by which git knows which entries it must not trust without reading. */
export async function copyIndex(from: string, to: string): Promise<void> {
  try {
    dropPrivate(to);
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

export async function sweepScratch(repo: Repo): Promise<void> {
  const names = lookAt(repo.files.root)?.isDirectory() === true ? readdirSync(repo.files.root) : [];
  names
    .filter((name) => name.startsWith(scratchPrefix))
    .forEach((name) => rmSync(join(repo.files.root, name), { recursive: true, force: true }));
}

/** Changes whenever somebody writes the user's index; empty when there is none. */
export function stampIndex(repo: Repo): string {
  return stampFile(join(repo.gitDir, 'index'));
}

export interface IndexLock {
  /** Contract: the locked file is now the user's index; durable. */
  install(): Promise<void>;
  /** Contract: the user's index stays as it was; never throws. */
  release(): Promise<void>;
}

/** Takes git's own lock with the whole new index as its content, so that installing it is one rename. */
export async function lockIndex(repo: Repo, file: string): Promise<IndexLock> {
  const lock = join(repo.gitDir, 'index.lock');
  await takeLock({ file, lock });
  failpoint('index:locked');
  return {
    install: async () => {
      try {
        renameSync(lock, join(repo.gitDir, 'index'));
        failpoint('index:installed');
        rmSync(file, { force: true });
        syncFolder(repo.gitDir);
      } catch (cause) {
        throw diskError({ action: 'replace', path: join(repo.gitDir, 'index'), cause });
      }
    },
    release: () => rm(lock, { force: true }).catch(() => undefined),
  };
}

async function takeLock({ file, lock }: { readonly file: string; readonly lock: string }): Promise<void> {
  for (const endMs = performance.now() + lockWaitMs; ;) {
    try {
      linkOrCopy(file, lock);
      return;
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST') {
        throw diskError({ action: 'write', path: lock, cause });
      }
      if (performance.now() > endMs) {
        throw lockedError([lock]);
      }
      await new Promise((resolve) => setTimeout(resolve, lockPollMs));
    }
  }
}

function linkOrCopy(file: string, lock: string): void {
  try {
    linkSync(file, lock);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      throw error;
    }
    // Some file systems have no hard links.
    copyFileSync(file, lock, constants.COPYFILE_EXCL);
  }
}

/** A lock that is the very file we were about to install is ours, left by a crash (§7). */
export async function removeOwnIndexLock(repo: Repo): Promise<void> {
  const lock = join(repo.gitDir, 'index.lock');
  const [left, own] = [lookAt(lock), lookAt(commitIndexFile(repo))];
  if (left !== null && left.ino === own?.ino && left.dev === own.dev) {
    rmSync(lock, { force: true });
  }
}
