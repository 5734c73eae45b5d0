/** The GitGlance port: what git's own files say is taken from them; git is asked where they do not say it plainly. */
import { RunnerError } from '../../core/errors.ts';
import type { GitGlance } from '../../ports/git-manager.ts';
import { headRef, loadRepo } from './repo.ts';
import type { Repo, RepoRequest } from './repo.ts';
import { readStaged } from './staged.ts';

export function gitGlance(request: RepoRequest): GitGlance {
  let opened: Repo | null = null;
  const open = async (): Promise<Repo> => (opened ??= await loadRepo(request));
  return {
    locate: async () => {
      const { top, gitDir, prefix } = await open();
      return { top, git_dir: gitDir, prefix };
    },
    headBranch: async () => (await headRef(await open()))?.replace(/^refs\/heads\//, '') ?? null,
    loadText: async ({ commit, path }) => {
      const repo = await open();
      const { loadBlobText } = await import('./read.ts');
      return loadBlobText(repo, { name: `${commit}:${repo.prefix}${path}` });
    },
    loadStaged: async (path) => {
      const repo = await open().catch(noRepository);
      if (repo === null) {
        return { kind: 'missing' };
      }
      const index = request.env['GIT_INDEX_FILE'];
      const quick = await readStaged(repo, { path: `${repo.prefix}${path}`, index });
      if (quick !== null) {
        return quick;
      }
      const { loadBlobText } = await import('./read.ts');
      return loadBlobText(repo, { name: `:0:${repo.prefix}${path}`, index });
    },
  };
}

function noRepository(error: unknown): null {
  if (error instanceof RunnerError && (error.code === 'GIT_NOT_A_REPO' || error.code === 'GIT_MISSING')) {
    return null;
  }
  throw error;
}
