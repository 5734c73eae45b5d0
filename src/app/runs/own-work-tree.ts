/** The work tree that the runner made for a run, where somebody has put it elsewhere, or where it holds what a ref cannot keep (§12). */
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { WorkTree } from '../../ports/endings.ts';
import type { EndingPorts, WholeRun } from './whole-run.ts';

type Named = Pick<WholeRun, 'run_id' | 'branch' | 'record'>;

export function isOwn(
  ports: EndingPorts,
  { run_id, record }: Pick<Named, 'run_id' | 'record'>,
  path: string,
): boolean {
  return record?.worktree === path || ports.leftovers.isOwn({ run_id, path });
}

/** Null: it is on the run's branch, or not there. */
export async function findStray(ports: EndingPorts, run: Named): Promise<WorkTree | null> {
  if (run.record?.status === 'finished' || run.record?.status === 'abandoned') return null;
  const all = await ports.endings.listWorkTrees();
  const isStray = ({ path, branch, is_there }: WorkTree): boolean =>
    is_there && branch !== run.branch && isOwn(ports, run, path);
  return all.find(isStray) ?? null;
}

export async function removeWorkTree(
  ports: EndingPorts,
  request: { readonly path: string; readonly run_id: string },
): Promise<void> {
  const kept = await ports.endings.removeWorkTree(request);
  if (kept !== null) ports.note(`what was moved aside in the work tree is kept in ${kept}`);
}

/** Whether work outside the branch belongs to the run is a person's to say. */
export async function requireNoStray(ports: EndingPorts, run: Named): Promise<void> {
  const stray = await findStray(ports, run);
  if (stray === null) return;
  const git = `git -C ${shellWord(stray.path)}`;
  const { commit } = await ports.endings.findUnsaved(stray.path);
  const keep = commit === null ? '' : `${git} branch ${run.run_id}-${commit.slice(0, 8)} && `;
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `the work tree of run ${run.run_id} is ${stray.branch === null ? 'on no branch' : `on '${stray.branch}'`}, not on '${run.branch}': ${stray.path}`,
    hint: `${keep}${git} switch ${run.branch} && runner finish ${run.run_id}`,
    details: commit === null ? [] : [`commit ${commit.slice(0, 8)} is in no branch`],
  });
}

/** Git folders of submodules are removed with the work tree, and no ref of the repository can hold their commits. */
export async function requireSubmodules(ports: EndingPorts, run: Named, path: string): Promise<void> {
  if (!isOwn(ports, run, path)) return;
  const { submodules } = await ports.endings.findUnsaved(path);
  const [first] = submodules;
  if (first === undefined) return;
  throw new RunnerError({
    code: 'GIT_DIRTY',
    message: `submodules of the work tree ${path} have work that would be lost with it: ${submodules.join(', ')}`,
    hint: saveHint(run, `${path}/${first}`),
  });
}

function saveHint({ run_id }: Pick<Named, 'run_id'>, folder: string): string {
  const git = `git -C ${shellWord(folder)}`;
  return `${git} status (commit what is there), then ${git} push origin HEAD:refs/heads/runner-${run_id}, then the same command again`;
}
