/** Whose a file is, where root works in folders of somebody else: what it makes there is theirs. Follows no link. */
import { fchownSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAt } from './look-at.ts';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Null: nothing is there. */
export function ownerOf(path: string): Owner | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

/** The owner of a folder that root works in; null: not root, or root's own. */
export function foreignOwner(folder: string): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const owner = ownerOf(folder);
  return owner === null || owner.uid === 0 ? null : owner;
}

/** A file that was just made, by its descriptor, or a folder that was. */
export function giveToFolder(made: number | string, path: string): void {
  const owner = foreignOwner(dirname(path));
  if (owner === null) return;
  if (typeof made === 'number') fchownSync(made, owner.uid, owner.gid);
  else lchownSync(made, owner.uid, owner.gid);
}

export function giveTo(path: string, owner: Owner): void {
  lchownSync(path, owner.uid, owner.gid);
  if (lookAt(path)?.isDirectory() !== true) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), owner);
}
