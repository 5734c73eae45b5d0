/** Paths of the machine as the sandbox needs them: the home folder, paths of the settings, and who can reach what. Reads only. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import type { Env } from '../../../core/types.ts';
import { realPath } from '../../files/look-at.ts';
import type { Owner } from './folder.ts';

export function homeOf(env: Env): string {
  const home = env['HOME'] ?? '';
  return realPath(home === '' ? homedir() : home);
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
