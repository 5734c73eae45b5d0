/** `.runner/context/`: three files for people and agents to look at, rewritten every iteration; the folder itself stays (§2). */
import { join } from 'node:path';
import type { ContextWriter } from '../../ports/stores.ts';
import { ensureDir, moveAside, saveFile } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { saveLocalIgnore } from './local-ignore.ts';

export function contextWriter(place: Layout): ContextWriter {
  const below = { root: place.projectDir };
  return {
    save: async (texts) => {
      const { goal, history, failure } = place.context;
      await ensureDir(place.contextDir, below);
      await saveLocalIgnore(place.contextDir, place);
      for (const path of [goal, history, failure]) await clearPlace(path, place);

      // Written again before every session.
      const passing = { ...below, isDurable: false };
      await saveFile(goal, texts.goal, passing);
      await saveFile(history, texts.history, passing);
      await saveFile(failure, texts.failure, passing);
    },
  };
}

/** A link or folder in a file's place is moved beside it; other files of the folder are left alone (§1). */
async function clearPlace(path: string, place: Layout): Promise<void> {
  const found = lookAt(path);
  if (found !== null && !found.isFile())
    await moveAside({ from: path, toDir: join(place.contextDir, 'replaced'), root: place.projectDir });
}
