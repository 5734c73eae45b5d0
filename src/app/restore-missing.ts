/** Files of `.runner/` that somebody deleted come back from the last commit; a new one in their place would begin the run anew (§1.6). */
import type { Ports } from '../ports/ports.ts';
import { listMissing, neededFiles } from './init.ts';

/** Returns warnings. Where all of them are gone a new project is meant. */
export async function restoreMissing(
  { workspace, git }: Pick<Ports, 'workspace' | 'git'>,
  commit: string,
): Promise<readonly string[]> {
  const missing = await listMissing(workspace);
  if (missing.length === neededFiles.length) return [];
  const warnings: string[] = [];
  for (const path of missing) {
    const committed = await git.loadText({ commit, path: `.runner/${path}` });
    if (committed.kind !== 'text') continue;
    await workspace.save(path, committed.text);
    warnings.push(`.runner/${path} was missing and was put back from the last commit`);
  }
  return warnings;
}
