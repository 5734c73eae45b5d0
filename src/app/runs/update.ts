/** Brings the base branch into a run (§12), as a person's commit that keeps the run's `.runner/`. Conflicts are left to be solved there. */
import { RunnerError } from '../../core/errors.ts';
import { renderUpdateMessage } from '../../core/runs/finish-message.ts';
import { requireClean } from '../preflight.ts';
import { withLock } from '../with-lock.ts';
import { recoverRun } from './finish.ts';
import { checkoutOf, findRun, folderOf, loadRun } from './whole-run.ts';
import type { EndingPlace, EndingPorts, WholeRun } from './whole-run.ts';

export interface UpdateOutcome {
  readonly run_id: string;
  readonly branch: string;
  readonly base: string;
  /** The merge; null: the run had everything already. */
  readonly commit: string | null;
  readonly changed_files: number;
}

export async function update(
  ports: EndingPorts,
  request: { readonly word: string | null },
): Promise<UpdateOutcome> {
  const { run_id, branch } = await findRun(ports, { command: 'update', word: request.word });
  const checkout = await checkoutOf(ports, branch);
  const path = checkout?.is_there === true ? checkout.path : null;
  return ports.inPlace(path, (place) =>
    withLock(place.ports, 'runner update', async () => {
      await recoverRun(place, { run_id, isHere: path !== null });
      return updateLocked(ports, { place, path, run: await loadRun(ports, run_id) });
    }),
  );
}

interface Updating {
  readonly place: EndingPlace;
  /** Where the run's branch is checked out; null: nowhere. */
  readonly path: string | null;
  readonly run: WholeRun;
}

async function updateLocked(ports: EndingPorts, { place, path, run }: Updating): Promise<UpdateOutcome> {
  const { tip, branch, run_id } = run;
  if (tip === null || !run.is_local) {
    throw new RunnerError({
      code: 'GIT_WRONG_BRANCH',
      message: `the branch ${branch} is not here`,
      hint: tip === null || run.record !== null ? 'runner runs --all' : `git switch ${branch}`,
    });
  }
  const { base, commit } = await findBase(ports, run);
  const done = { run_id, branch, base };
  if (await place.ports.git.isAncestor({ ancestor: commit, descendant: tip }))
    return { ...done, commit: null, changed_files: 0 };
  await place.ports.git.checkSetup();
  if (path !== null) requireClean(await place.ports.git.snapshot());
  const message = renderUpdateMessage({ base, branch });
  const merged = await place.endings.merge({ ours: tip, theirs: commit });
  if (merged.conflicts.length > 0) throw await leaveConflicts(place, { run, path, base, commit, message });
  const files = await place.ports.git.listRunnerFiles(tip);
  const tree = await place.endings.layRunner({ tree: merged.tree, files });
  const made = await place.endings.makeCommit({ tree, parents: [tip, commit], message });
  await ports.repositoryLock.hold('runner update', async () => {
    await requireSameFolder(ports, { run, path });
    return path === null
      ? ports.endings.moveBranch({ branch, from: tip, to: made, reason: 'runner: update' })
      : ports.endings.forward({ path, branch, to: made });
  });
  const changed = await ports.git.changedPaths({ from: tip, to: made });
  return { ...done, commit: made, changed_files: changed.length };
}

/** Merging takes a while, and the branch is moved in another way where it is checked out. */
async function requireSameFolder(
  ports: EndingPorts,
  { run, path }: Pick<Updating, 'run' | 'path'>,
): Promise<void> {
  if ((await folderOf(ports, run.branch)) === path) return;
  throw new RunnerError({
    code: 'GIT_FAILED',
    message: `the checkout of ${run.branch} moved while both were merged; nothing was changed`,
    hint: `runner update ${run.run_id}`,
  });
}

async function findBase(
  ports: EndingPorts,
  { run_id, state, record }: WholeRun,
): Promise<{ readonly base: string; readonly commit: string }> {
  const base = state?.base_branch ?? record?.base_branch ?? null;
  const commit = base === null ? null : await ports.endings.commitOf(`refs/heads/${base}`);
  if (base !== null && commit !== null) return { base, commit };
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message:
      base === null
        ? `it is not recorded which branch run ${run_id} came from`
        : `the branch '${base}', which run ${run_id} came from, is gone`,
    hint: 'merge the branch you mean yourself: git merge <branch>',
  });
}

async function leaveConflicts(
  place: EndingPlace,
  request: {
    readonly run: WholeRun;
    readonly path: string | null;
    readonly base: string;
    readonly commit: string;
    readonly message: string;
  },
): Promise<RunnerError> {
  const { run, path, base, commit, message } = request;
  const what = `run ${run.run_id} and '${base}' changed the same lines`;
  if (path === null) {
    return new RunnerError({
      code: 'GIT_CONFLICT',
      message: `${what}, and ${run.branch} is checked out nowhere`,
      hint: `git switch ${run.branch} && runner update`,
    });
  }
  const conflicts = await place.endings.beginMerge({ path, branch: run.branch, theirs: commit, message });
  return new RunnerError({
    code: 'GIT_CONFLICT',
    message: `${what}: the merge is begun in ${path}, and ${conflicts.length} ${conflicts.length === 1 ? 'file has' : 'files have'} conflicts`,
    details: conflicts.map((file) => JSON.stringify(file)),
    hint: `solve them there, then: git add -A && git commit --no-edit; or give it up: git merge --abort`,
  });
}
