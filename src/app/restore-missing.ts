/** Files of `.runner/` that somebody deleted come back from the last commit; a new one in their place would begin the run anew (§1.6). */
import type { Ports } from '../ports/ports.ts';

/** What a run cannot be without; everything else is made again as it was shipped. */
const needed = ['GOAL.md', 'state/config.toml', 'state/tree.json', 'state/run_state.json'];

/** Returns warnings. */
export async function restoreMissing(
  { workspace, git }: Pick<Ports, 'workspace' | 'git'>,
  commit: string,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const path of needed) {
    if ((await workspace.read(path)).kind !== 'missing') continue;
    const committed = await git.loadText({ commit, path: `.runner/${path}` });
    if (committed.kind !== 'text') continue;
    await workspace.save(path, committed.text);
    warnings.push(`.runner/${path} was missing and was put back from the last commit`);
  }
  return warnings;
}
