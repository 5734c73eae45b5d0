/** Hashes and session cookies. The cookie is the one random value of a run and must never reach a prompt or a tree. */
import { createHash, randomBytes } from 'node:crypto';
import type { Hasher } from '../../ports/sessions.ts';

export function systemHasher(): Hasher {
  return {
    sha256: (text) => {
      const hash = createHash('sha256');
      for (const part of partsOf(text)) hash.update(part, 'utf8');

      return hash.digest('hex');
    },
    cookie: () => randomBytes(16).toString('hex'),
  };
}

const partLength = 65_536;

/** A long text at once would be copied as a whole, which takes longer than hashing it. No character is cut in two. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const isPair = (text.charCodeAt(start + partLength - 1) & 0xfc00) === 0xd800;
    const end = start + partLength + (isPair ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
