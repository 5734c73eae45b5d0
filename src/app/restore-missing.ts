/** Restores deleted files of `.runner/` from the last commit; new ones in their place would start the run over (§1.6). */
import type { Ports } from '../ports/ports.ts';
import { listMissing, neededFiles } from './init.ts';

/** Returns warnings. If all files are missing, this is a new project and nothing is restored. */
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
