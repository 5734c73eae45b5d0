/** Finds a project in git, for the composition roots; most commands also work outside a repository. */
import { findProjectAbove } from '../../adapters/project/workspace.ts';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { GitLocation, GitLook } from '../../ports/git.ts';

export async function locateOrNull(git: Pick<GitLook, 'locate'>): Promise<GitLocation | null> {
  return git.locate().catch((error: unknown) => {
    if (error instanceof RunnerError && (error.code === 'GIT_NOT_A_REPO' || error.code === 'GIT_MISSING'))
      return null;
    throw error;
  });
}

/** Refuses in a sub-folder of a project; `runner init` makes a second project there. */
export async function requireHere(directory: string, top: string): Promise<void> {
  const error = await projectAbove(directory, top);
  if (error !== null) throw error;
}

/** Null when there is none above. */
export async function projectAbove(directory: string, top: string): Promise<RunnerError | null> {
  const above = await findProjectAbove(directory, top);
  if (above === null) return null;
  return new RunnerError({
    code: 'LAYOUT_MISSING',
    message: `there is no .runner/ in ${directory}, but there is one in ${above}`,
    hint: `cd ${shellWord(above)}, or for a project of its own: runner init`,
  });
}
