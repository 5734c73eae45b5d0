/** Hashes and session cookies. The cookie is the one random value of a run and must never reach a prompt or a tree. */
import { createHash, randomBytes } from 'node:crypto';
import type { Hasher } from '../../ports/sessions.ts';

export function systemHasher(): Hasher {
  return {
    sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
    cookie: () => randomBytes(16).toString('hex'),
  };
}
