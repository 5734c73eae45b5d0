/** Finds out whether a file of `.runner/` is broken because git stopped in a merge. Reads git, changes nothing, and stays silent if git fails. */
import { gitAdapter } from '../adapters/git/git.ts';
import { RunnerError } from '../core/errors.ts';
import { refuseConflict } from '../core/runs/merge-conflict.ts';
import type { Settings } from './output/streams.ts';

/** The conflict instead of the error: what helps against the error would commit the markers, or fail. */
export async function withConflict(
  { directory, env }: Pick<Settings, 'directory' | 'env'>,
  error: RunnerError,
): Promise<RunnerError> {
  const git = gitAdapter({ projectDir: directory, env });
  const found = await git.snapshot().catch(() => null);
  const refusal = found === null ? null : refuseConflict(found.dirty, found.branch);
  return refusal === null ? error : new RunnerError(refusal);
}
