/**
 * What the private work index stands for: known within a process by the stamp of its file, to later ones by a record beside it. Whoever
 * changes the index in between makes it worthless, and it is built anew.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { dropPrivate, overwritePrivate } from './index-lock.ts';
import type { Repo } from './repo.ts';
import { lookAt, stampFile } from '../files/look-at.ts';
import { readSmallFile } from '../files/small-file.ts';

/** The work index as this process left it. */
export interface KnownIndex {
  /** See `stampFile`. */
  readonly stamp: string;
  /** The commit the entries started from; what is tracked depends on it, ignored or not. */
  readonly commit: string | null;
  /** Its tree; empty when that was not asked. */
  readonly tree: string;
}

export type Standing = Omit<KnownIndex, 'stamp'>;

function recordFile(repo: Repo): string {
  return join(repo.files.root, 'index.commit');
}

/** Empty when there is none. */
function hashOf(file: string): string {
  try {
    const isFile = lookAt(file)?.isFile() === true;
    return isFile ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
  } catch {
    return '';
  }
}

/** What an earlier process left; null when somebody has changed the index since. */
export function loadRecord(repo: Repo): Standing | null {
  const text = readSmallFile(recordFile(repo), 4096);
  const [commit = '', sha256 = '', tree = ''] = (text ?? '').split('\n');
  const isOurs = text !== null && sha256 !== '' && sha256 === hashOf(repo.files.index);
  return isOurs ? { commit: commit === 'none' ? null : commit, tree } : null;
}

export function noteIndex(repo: Repo, standing: Standing): KnownIndex {
  return (repo.memory.index = { ...standing, stamp: stampFile(repo.files.index) });
}

/** Says, also to later processes, what the work index stands for. A torn record only costs building the index anew. */
export function saveWorkRecord(repo: Repo, standing: Standing): void {
  noteIndex(repo, standing);
  const { commit, tree } = standing;
  failpoint('write:before:index.commit');
  try {
    const lines = [commit ?? 'none', hashOf(repo.files.index), tree, ''];
    overwritePrivate(recordFile(repo), lines.join('\n'));
  } catch (cause) {
    throw diskError({ action: 'write', path: recordFile(repo), cause });
  }
  repo.memory.isIndexRecorded = true;
  failpoint('write:after:index.commit');
}

/** It is built anew at the next use. */
export function forgetWorkIndex(repo: Repo): void {
  repo.memory.index = null;
  repo.memory.isIndexRecorded = false;
  dropPrivate(recordFile(repo));
}
