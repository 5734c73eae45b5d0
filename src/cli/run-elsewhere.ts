/** Finds a layout or run that is missing here on the branches of runs. Reads git, changes nothing, and stays silent if git fails. */
import { gitAdapter } from '../adapters/git/git.ts';
import type { RunnerError } from '../core/errors.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import { projectAbove } from './wire/locate.ts';
import type { Settings } from './output/streams.ts';

const namedMax = 3;

type Place = Pick<Settings, 'directory' | 'env'>;

/** The same error; its hint leads to the project above, or to runs on other branches: beginning another one is rarely meant. */
export async function withRunBranches(place: Place, error: RunnerError): Promise<RunnerError> {
  if (error.code === 'LAYOUT_MISSING') {
    if (error.hint !== 'runner init') return error;
    const above = await findAbove(place).catch(() => null);
    if (above !== null) return above;
  }
  const ways = await listWays(place).catch(() => []);
  if (ways.length === 0) return error;
  const more = ways.length > namedMax ? `, and ${ways.length - namedMax} more` : '';
  return error.withHint(`${ways.slice(0, namedMax).join(', or: ')}${more}; for a new one: ${error.hint}`);
}

/** In a sub-folder of a project: the error that names the project above. */
async function findAbove({ directory, env }: Place): Promise<RunnerError | null> {
  const { top } = await gitAdapter({ projectDir: directory, env }).locate();
  return projectAbove(directory, top);
}

/** One for each open or complete run of another branch; those of other project folders are left out. */
async function listWays({ directory, env }: Place): Promise<readonly string[]> {
  const git = gitAdapter({ projectDir: directory, env });
  const here = await git.headBranch();
  if (here?.startsWith('runner/') === true) return [];
  const ended = new Set((await git.listArchived()).map(({ run_id }) => run_id));
  const ways: string[] = [];
  for (const { run_id, branch, commit } of await git.listRunBranches()) {
    const source = await git.loadText({ commit, path: '.runner/state/tree.json' });
    if (source.kind === 'missing' || ended.has(run_id)) continue;
    const parsed = parseTree(source);
    const isComplete = parsed.ok && parsed.tree.passes;
    ways.push(
      isComplete
        ? `run '${run_id}' is complete: runner finish ${run_id}`
        : `run '${run_id}' is unfinished: git switch ${branch}`,
    );
  }
  return ways;
}
