/** Paths of the machine as the sandbox needs them: the home folder, paths of the settings, and who can reach what. Reads only. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import type { Env } from '../../../core/types.ts';
import { realPath } from '../../files/look-at.ts';
import type { Owner } from '../../files/owner.ts';

const askMs = 10_000;

export function homeOf(env: Env): string {
  const home = env['HOME'] ?? '';
  return realPath(home === '' ? homedir() : home);
}

/** The home folder of a user by the machine's own list; null: none of theirs. */
export async function loadHomeOf(uid: number): Promise<string | null> {
  const { execa } = await import('execa');
  // Users may be in a directory of the network; without the program there is the file.
  const asked = await execa('/usr/bin/getent', ['passwd', String(uid)], {
    reject: false,
    timeout: askMs,
    stdin: 'ignore',
  });
  const home = findHome(asked.exitCode === 0 ? asked.stdout : loadUsers(), uid);
  // Users of the system have /bin and the like.
  if (home === null || statSync(home, { throwIfNoEntry: false })?.uid !== uid) return null;
  return realPath(home);
}

function findHome(users: string, uid: number): string | null {
  const fields = users.split('\n').map((line) => line.split(':'));
  const home = fields.find(([, , id]) => id === String(uid))?.[5] ?? '';
  return home.startsWith('/') ? home : null;
}

function loadUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

export function expandPaths(paths: readonly string[], env: Env): readonly string[] {
  return paths.map((path) => path.replace(/^~(?=\/|$)/, () => homeOf(env)).replace(/(?<=.)\/+$/, ''));
}

export function searchPath(env: Env): readonly string[] {
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
}

/** What is at a path; null: nothing, or the user cannot get there. Without a user: as this process sees it. */
export function kindAt(path: string, user: Owner | null): 'file' | 'folder' | null {
  try {
    const found = statSync(path);
    if (user !== null && !canReach(realpathSync(path), user)) return null;
    return found.isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** Whether every folder above the path lets the user through; root's own way past this ends where it gives up its rights. */
function canReach(path: string, user: Owner): boolean {
  const folder = dirname(path);
  return folder === path || (allows(folder, user) && canReach(folder, user));
}

function allows(folder: string, { uid, gid }: Owner): boolean {
  const found = statSync(folder);
  if (found.uid === uid) return (found.mode & 0o100) !== 0;
  return (found.mode & (found.gid === gid ? 0o010 : 0o001)) !== 0;
}

/** Sockets that programs outside have bound to a path. */
export function listSockets(): readonly string[] {
  try {
    const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return [...new Set(rows.flatMap((row) => / (\/.*)$/.exec(row)?.[1] ?? []))];
  } catch {
    return [];
  }
}
