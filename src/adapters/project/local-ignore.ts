/** The `.gitignore` inside `.runner/context/` and `.runner/iterations/`, which hides them on every branch (§2). */
import { join } from 'node:path';
import { ignoreAllText } from '../../core/iteration/initial-files.ts';
import { moveAside, saveFile } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';

/** Logs of background runs are in the git folder, where nothing is ignored. A link or folder in the file's place is kept. */
export async function saveLocalIgnore(dir: string, { root, projectDir, contextDir }: Layout): Promise<void> {
  if (!dir.startsWith(`${root}/`)) return;
  const path = join(dir, '.gitignore');
  if (lookAt(path)?.isFile() === false)
    await moveAside({ from: path, toDir: join(contextDir, 'replaced'), root: projectDir });
  await saveFile(path, ignoreAllText, { root: projectDir, isDurable: false });
}
