/** Finds the process that may own a lock file of git. Reads `/proc` only; a process that cannot be inspected counts as no owner. */
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { listNames } from '../files/folders.ts';
import { processTable } from '../processes/process-table.ts';
import type { Repo } from './repo.ts';

/** Processes that may own the locks: they have one open, or they are a git at work in this repository. Null: only Linux can tell. */
export async function describeOwners(
  repo: Repo,
  locks: readonly string[],
): Promise<readonly string[] | null> {
  if (process.platform !== 'linux') return null;

  // Not where a link leads to: a link in a lock's place is no process's lock.
  const open = new Set(locks.map((path) => join(realpathSync(dirname(path)), basename(path))));
  const folders = [repo.top, repo.gitDir, dirname(repo.commonDir)].map((path) => realpathSync(path));
  const owners = listNames('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => holdsOpen(pid, open) || isGitIn(pid, folders));
  return Promise.all(owners.map((pid) => processTable().describeProcess(Number(pid))));
}

function holdsOpen(pid: string, paths: ReadonlySet<string>): boolean {
  return listNames(`/proc/${pid}/fd`).some((fd) => paths.has(readProcLink(`${pid}/fd/${fd}`)));
}

function isGitIn(pid: string, folders: readonly string[]): boolean {
  const cwd = readProcLink(`${pid}/cwd`);
  return folders.some((folder) => `${cwd}${sep}`.startsWith(`${folder}${sep}`)) && isGit(pid);
}

function isGit(pid: string): boolean {
  try {
    return /^git(?:-|$)/.test(readFileSync(`/proc/${pid}/comm`, 'latin1').trimEnd());
  } catch {
    return false;
  }
}

/** Empty: gone meanwhile, or not permitted. */
function readProcLink(path: string): string {
  try {
    return readlinkSync(`/proc/${path}`);
  } catch {
    return '';
  }
}
