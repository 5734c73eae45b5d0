/** Where iterations of a work tree are logged: that of a background run has no `.runner/iterations` of its own (§13.6). */
import { repositoryLayout } from '../../adapters/files/layout.ts';
import type { LogPlace } from '../../adapters/files/layout.ts';
import type { GitLocation } from '../../ports/git.ts';

/** Undefined: in the project. */
export async function logPlaceOf(
  found: Pick<GitLocation, 'top' | 'git_dir' | 'common_dir'>,
): Promise<LogPlace | undefined> {
  // Background runs have linked work trees only; most projects are none.
  if (found.git_dir === found.common_dir) return undefined;
  const { runRecords } = await import('../../adapters/runs/records.ts');
  const repository = repositoryLayout(found.common_dir);
  const runs = await runRecords(repository).list();
  const isRuns = runs.some((run) => run.kind === 'record' && run.record.worktree === found.top);
  return isRuns ? repository.logPlace : undefined;
}
