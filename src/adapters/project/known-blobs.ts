/**
 * Git's names of files that were read before, so that a file nobody has written to is not read again. It is told by its stamp, and only when
 * that was old enough at the time: clocks of file systems tick slowly, and what is written within a tick leaves no trace.
 */
import { lstatSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { blobId } from './blob-id.ts';
import { renderStamp } from '../files/look-at.ts';

/** Longer than a tick anywhere. */
const tickMs = 2500;

export interface LookedAt {
  readonly bytes: number;
  readonly isExecutable: boolean;
  /** Null: it has to be read. */
  readonly oid: string | null;
  readonly stamp: string;
  readonly isSettled: boolean;
}

export interface KnownBlobs {
  /** Null when there is no regular file; follows no link. `like`: an id in the format that is wanted. */
  look(path: string | Buffer, like: string): LookedAt | null;
  /** The id of what was read after the look. */
  keep(path: string | Buffer, looked: LookedAt, read: { bytes: Uint8Array; like: string }): string;
}

export function knownBlobs(): KnownBlobs {
  const known = new Map<string, { readonly stamp: string; readonly oid: string }>();
  return {
    look: (path, like) => {
      const nowMs = Date.now();
      const found = lookAtSafely(path);
      if (found?.isFile() !== true) {
        return null;
      }
      const stamp = renderStamp(found);
      const before = known.get(path.toString('latin1'));
      const isKnown = before?.stamp === stamp && before.oid.length === like.length;
      return {
        bytes: Number(found.size),
        isExecutable: (found.mode & 0o100n) !== 0n,
        oid: isKnown ? before.oid : null,
        stamp,
        isSettled: nowMs - Number(found.ctimeMs) > tickMs && nowMs - Number(found.mtimeMs) > tickMs,
      };
    },
    keep: (path, { stamp, isSettled }, { bytes, like }) => {
      const oid = blobId(bytes, like);
      if (isSettled) {
        known.set(path.toString('latin1'), { stamp, oid });
      }
      return oid;
    },
  };
}

function lookAtSafely(path: string | Buffer): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
