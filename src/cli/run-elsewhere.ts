/** Finds a layout that is missing here on the branch of a run. Reads git, changes nothing, and stays silent if git fails. */
import { gitAdapter } from '../adapters/git/git.ts';
import type { RunnerError } from '../core/errors.ts';
import { projectAbove } from './wire/locate.ts';
import type { Settings } from './output/streams.ts';

const namedMax = 3;

/** The same error; its hint leads to the project above, or to branches with runs: `init` would begin another project. */
export async function withRunBranches(
  { directory, env }: Pick<Settings, 'directory' | 'env'>,
  error: RunnerError,
): Promise<RunnerError> {
  if (error.code !== 'LAYOUT_MISSING' || error.hint !== 'runner init') return error;
  const above = await findAbove({ directory, env }).catch(() => null);
  if (above !== null) return above;
  const names = await listElsewhere({ directory, env }).catch(() => []);
  if (names.length === 0) return error;
  const [first, ...others] = names.slice(0, namedMax).map((name) => `git switch ${name}`);
  const more = names.length > namedMax ? `, and ${names.length - namedMax} more` : '';
  const where = [`a run is on another branch: ${first}`, ...others].join(', or: ');
  return error.withHint(`${where}${more}; for a new one: runner init`);
}

/** In a sub-folder of a project: the error that names the project above. */
async function findAbove({
  directory,
  env,
}: Pick<Settings, 'directory' | 'env'>): Promise<RunnerError | null> {
  const { top } = await gitAdapter({ projectDir: directory, env }).locate();
  return projectAbove(directory, top);
}

async function listElsewhere({
  directory,
  env,
}: Pick<Settings, 'directory' | 'env'>): Promise<readonly string[]> {
  const git = gitAdapter({ projectDir: directory, env });
  const here = await git.headBranch();
  if (here?.startsWith('runner/') === true) return [];
  return (await git.listRunBranches()).map(({ branch }) => branch);
}
