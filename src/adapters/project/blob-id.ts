/** Git's name for the bytes of a file, worked out without git. */
import { createHash } from 'node:crypto';

/** In the format of the given id. */
export function blobId(bytes: Uint8Array, like: string): string {
  const algorithm = like.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
