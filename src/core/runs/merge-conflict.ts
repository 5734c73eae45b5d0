/** A merge that stopped at conflicts: files may hold markers, and `git add` would call them solved. Decides what is said of it. */
import { listPaths } from '../text/path-list.ts';
import type { Refusal } from './start-plan.ts';

interface Changed {
  /** Porcelain v2 XY code. */
  readonly code: string;
  readonly path: string;
}

/** Null: git has no file with several versions. `branch`: null when HEAD is detached. */
export function refuseConflict(dirty: readonly Changed[], branch: string | null): Refusal | null {
  const paths = dirty.filter(({ code }) => isUnmerged(code)).map(({ path }) => path);
  if (paths.length === 0) return null;
  // The second ends merges, cherry-picks and stashes alike; only a rebase detaches HEAD.
  const undo = branch === null ? 'git rebase --abort' : 'git reset --merge';
  const isOurs = paths.some((path) => path.split('/').includes('.runner'));
  return {
    code: 'GIT_CONFLICT',
    message: `git stopped at conflicts that are not solved: ${listPaths(paths)}`,
    hint: isOurs
      ? `${undo} (runner finish and runner update merge without conflicts in .runner/)`
      : `solve them, then: git add -A && git commit; or undo the merge: ${undo}`,
  };
}

function isUnmerged(code: string): boolean {
  return code.includes('U') || code === 'AA' || code === 'DD';
}
