/**
 * A branch moved without git, in the steps git itself takes: lock files of the branch and of HEAD, the old value compared under them, a
 * line in both reflogs, one rename. Whatever is not a plain loose branch is left to git.
 */
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { failpoint } from '../files/failpoint.ts';
import { syncFolder } from '../files/folders.ts';
import type { RefMove } from './refs.ts';
import type { Repo } from './repo.ts';
import { lookAt } from '../files/look-at.ts';

/** False: nothing was done, and git is to do it or to say what is wrong. */
export function moveBranchFile(repo: Repo, { ref, to, from, reason }: RefMove): boolean {
  const path = join(repo.commonDir, ref);
  const { identity, setup } = repo.memory;
  const logs = [join(repo.commonDir, 'logs', ref), join(repo.gitDir, 'logs', 'HEAD')];
  const isPlain =
    identity !== null &&
    setup?.isPlain === true &&
    from !== null &&
    lookAt(join(repo.commonDir, 'reftable')) === null &&
    logs.every((file) => lookAt(file)?.isFile() === true) &&
    readPlain(join(repo.gitDir, 'HEAD')) === `ref: ${ref}\n` &&
    readPlain(path) === `${from}\n`;
  if (!isPlain) {
    return false;
  }
  const locks = takeLocks([`${path}.lock`, join(repo.gitDir, 'HEAD.lock')]);
  if (locks === null) {
    return false;
  }
  try {
    // Under the locks nobody else moves it.
    if (readPlain(path) !== `${from}\n` || readPlain(join(repo.gitDir, 'HEAD')) !== `ref: ${ref}\n`) {
      return false;
    }
    const [{ fd }] = locks;
    writeSync(fd, `${to}\n`);
    fsyncSync(fd);
    const when = `${Math.floor(Date.now() / 1000)} ${identity.zone}`;
    logs.forEach((file) => appendFileSync(file, `${from} ${to} ${identity.committer} ${when}\t${reason}\n`));
    failpoint(`rename:before:${ref}`);
    renameSync(`${path}.lock`, path);
    // From here on a lock of that name is somebody else's.
    locks[0].isHeld = false;
    failpoint(`rename:after:${ref}`);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    // git tries again and says what is wrong.
    if (readPlain(path) === `${to}\n`) {
      throw error;
    }
    return false;
  } finally {
    release(locks);
  }
}

function readPlain(path: string): string | null {
  try {
    return lookAt(path)?.isFile() === true ? readFileSync(path, 'latin1') : null;
  } catch {
    return null;
  }
}

interface LockFile {
  readonly path: string;
  readonly fd: number;
  isHeld: boolean;
}

/** Both or none. A lock that stands is somebody else's: git waits for it or names it. */
function takeLocks([first, second]: readonly [string, string]): readonly [LockFile, LockFile] | null {
  const own = takeLock(first);
  const other = own === null ? null : takeLock(second);
  if (own !== null && other === null) {
    release([own]);
  }
  return own === null || other === null ? null : [own, other];
}

function takeLock(path: string): LockFile | null {
  try {
    return { path, fd: openSync(path, 'wx'), isHeld: true };
  } catch {
    return null;
  }
}

function release(locks: readonly LockFile[]): void {
  for (const { path, fd, isHeld } of locks) {
    closeSync(fd);
    if (isHeld) {
      rmSync(path, { force: true });
    }
  }
}
