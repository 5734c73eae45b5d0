/** Where a project is in git, for the composition roots; outside a repository most commands work all the same. */
import { RunnerError } from '../core/errors.ts';
import type { GitGlance } from '../ports/git-manager.ts';

export type Place = Awaited<ReturnType<GitGlance['locate']>>;

export async function locateOrNull(git: Pick<GitGlance, 'locate'>): Promise<Place | null> {
  return git.locate().catch((error: unknown) => {
    if (error instanceof RunnerError && (error.code === 'GIT_NOT_A_REPO' || error.code === 'GIT_MISSING'))
      return null;
    throw error;
  });
}
