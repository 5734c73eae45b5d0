/**
 * git takes a file for unchanged when its size and its times, in whole seconds, are as they were staged: one that is written again in the same
 * second, as long as before and with its time set back, goes unseen. What changed as late as that is read again (§1.2).
 */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { blobId } from '../project/blob-id.ts';
import { countOf, ctimeOf, idOf, modeOf, pathOf, withoutState } from './index-bytes.ts';
import { readView } from './index-file.ts';
import { replaceIndex } from './index-replace.ts';
import { workPath } from './repo.ts';
import type { Repo } from './repo.ts';

/** The clock of a file system may be that much behind ours. */
const clockStepMs = 50;
/** What an earlier process staged: longer than between looking at a file and writing the index. */
const earlierMs = 60_000;
const gitlink = 0o160000;
/** Larger ones are git's to read. */
const readBytesMax = 1024 * 1024;

/** Contract: the index is ours, and nobody else is at work on it. `lookedMs`: when it was last staged; null: by an earlier process. */
export function distrustYoung(
  repo: Repo,
  { idBytes, lookedMs }: { readonly idBytes: number; readonly lookedMs: number | null },
): void {
  const { index } = repo.files;
  const view = readView(index, idBytes);
  if (view === null) {
    return;
  }
  const sinceMs = (lookedMs ?? statSync(index).mtimeMs - earlierMs) - clockStepMs;
  const isYoung = (entry: number): boolean => {
    const { seconds, ns } = ctimeOf(view, entry);
    if (seconds < Math.floor(sinceMs / 1000) || modeOf(view, entry) === gitlink) {
      return false;
    }
    const file = workPath(repo, pathOf(view, entry));
    // Staged well after it changed: then its time in full tells. Else its bytes do, where git stores them as they are.
    const isTold = lookedMs !== null && seconds * 1000 + ns / 1e6 < sinceMs;
    return isTold
      ? ctimeNow(file) !== BigInt(seconds) * 1_000_000_000n + BigInt(ns)
      : !holdsBlob(file, Buffer.from(idOf(view, entry), 'latin1').toString('hex'));
  };
  const young: number[] = [];
  for (let entry = 0; entry < countOf(view); entry += 1) {
    if (isYoung(entry)) {
      young.push(entry);
    }
  }
  if (young.length > 0) {
    replaceIndex(index, { like: index, bytes: withoutState(view, young), isDurable: false });
  }
}

function holdsBlob(file: Buffer, oid: string): boolean {
  try {
    const found = lstatSync(file);
    return found.isFile() && found.size <= readBytesMax && blobId(readFileSync(file), oid) === oid;
  } catch {
    return false;
  }
}

function ctimeNow(file: Buffer): bigint {
  try {
    return lstatSync(file, { bigint: true }).ctimeNs;
  } catch {
    // Gone, which git sees.
    return -1n;
  }
}
