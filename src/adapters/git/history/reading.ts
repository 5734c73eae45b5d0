/**
 * The questions that need no more than the repository itself. `validate` is a hook that people wait for: it loads this file and not
 * the whole port. Reads only.
 */
import type { Env } from '../../../core/types.ts';
import type { GitPort } from '../../../ports/git.ts';
import { withWorkTreeLast } from '../../processes/search-path.ts';
import { loadBlobText } from './blobs.ts';
import { branchOf, headRef, loadRepo } from '../repo.ts';
import type { Repo } from '../repo.ts';

export type GitReader = Pick<GitPort, 'locate' | 'headBranch' | 'loadStaged' | 'loadText'>;

/** `env` may name the index that a hook was given. */
export function reading(open: () => Promise<Repo>, env: Env): GitReader {
  return {
    locate: async () => {
      const { top, gitDir, commonDir, prefix } = await open();
      return { top, git_dir: gitDir, common_dir: commonDir, prefix };
    },
    headBranch: async () => branchOf(await headRef(await open())),
    loadText: async ({ commit, path }) => {
      const repo = await open();
      return loadBlobText(repo, { name: `${commit}:${repo.prefix}${path}` });
    },
    loadStaged: async (path) => {
      const repo = await open();
      return loadBlobText(repo, { name: `:0:${repo.prefix}${path}`, index: env['GIT_INDEX_FILE'] });
    },
  };
}

export function gitReader(request: { readonly projectDir: string; readonly env: Env }): GitReader {
  const env = withWorkTreeLast(request.env, request.projectDir);
  let repo: Promise<Repo> | null = null;
  return reading(() => (repo ??= loadRepo({ ...request, env })), env);
}
