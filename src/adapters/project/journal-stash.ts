/** Stores large trees beside the journal, named by their hash, so that each is written once for all phases of an iteration. */
import { treeBytesMax } from '../../core/limits.ts';
import type { SourceText } from '../../core/types.ts';
import { clearFile } from '../files/clear-way.ts';
import { listDir, loadText, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { stampFile } from '../files/look-at.ts';

export interface JournalStash {
  /** Durable; returns the hash. */
  save(text: string): Promise<string>;
  /** A missing text, or one whose hash differs from its name, is unreadable. */
  load(sha256: string): Promise<SourceText>;
  /** Only when no entry that refers to one can come back. Never throws. */
  drop(): Promise<void>;
}

export function journalStash(place: PrivateLayout): JournalStash {
  const below = { root: place.gitDir };
  /** What this process saved last, and the file as it was then. */
  let kept: { readonly text: string; readonly sha256: string; readonly mark: string } | null = null;

  async function load(sha256: string): Promise<SourceText> {
    const path = place.stash(sha256);
    const source = await loadText(path, { ...below, bytesMax: treeBytesMax });
    if (source.kind === 'text' && (await hashOf(source.text)) === sha256) return source;

    return { kind: 'unreadable', message: `the kept copy ${path} is missing or damaged` };
  }

  return {
    load,
    save: async (text) => {
      if (kept?.text === text && kept.mark === stampFile(place.stash(kept.sha256))) return kept.sha256;

      const sha256 = await hashOf(text);
      const stashed = await load(sha256);
      if (stashed.kind !== 'text') await saveFile(place.stash(sha256), text, below);

      kept = { text, sha256, mark: stampFile(place.stash(sha256)) };
      return sha256;
    },
    drop: async () => {
      kept = null;
      // A foreign file that cannot be removed does no harm.
      const names = await listDir(place.stashDir).catch(() => []);
      for (const { name } of names) await clearFile(place.stash(name), place).catch(() => undefined);
    },
  };
}

/** Loaded where it is needed: commands that only look find no large tree. */
async function hashOf(text: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
