/** `.runner/context/`: three files for people and agents to look at, rewritten every iteration; the folder itself stays (§2). */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContextWriter } from '../ports/stores.ts';
import { diskError } from './disk-error.ts';
import { ensureDir, listDir, saveFile } from './files.ts';
import type { Layout } from './layout.ts';

export function contextWriter(place: Layout): ContextWriter {
  const below = { root: place.projectDir };
  return {
    save: async (texts) => {
      const { goal, history, failure } = place.context;
      await ensureDir(place.contextDir, below);
      const ours = new Set([goal, history, failure].map((path) => basename(path)));
      for (const entry of await listDir(place.contextDir)) {
        if (!ours.has(entry.name) || entry.kind !== 'file') {
          await removeEntry(join(place.contextDir, entry.name));
        }
      }
      await saveFile(goal, texts.goal, below);
      await saveFile(history, texts.history, below);
      await saveFile(failure, texts.failure, below);
    },
  };
}

/** A link goes, never what it points to. */
async function removeEntry(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true });
  } catch (cause) {
    throw diskError({ action: 'remove', path, cause });
  }
}
