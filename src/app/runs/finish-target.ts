/** Where a run is finished into (§12): the branch it came from, or the one that was named. Moves only from where it was found. */
import { RunnerError } from '../../core/errors.ts';
import type { WorkTree } from '../../ports/endings.ts';
import type { EndingPorts, WholeRun } from './whole-run.ts';

export interface Target {
  readonly branch: string;
  /** Where it is, or where a new one begins. */
  readonly commit: string;
  readonly is_new: boolean;
  /** The work tree that has it checked out; null: none. */
  readonly checkout: WorkTree | null;
}

export async function findTarget(
  ports: EndingPorts,
  { run, tip, into }: { readonly run: WholeRun; readonly tip: string; readonly into: string | null },
): Promise<Target> {
  const base = run.state?.base_branch ?? run.record?.base_branch ?? null;
  const branch = into ?? base;
  if (branch === null) throw unknown(run, 'it is not recorded where it came from');
  if (branch.startsWith('runner/')) throw unknown(run, `'${branch}' is the branch of a run`);
  const commit = await ports.endings.commitOf(`refs/heads/${branch}`);
  if (commit !== null) {
    const all = await ports.endings.listWorkTrees();
    const checkout = all.find((one) => one.branch === branch && one.is_there) ?? null;
    return { branch, commit, is_new: false, checkout };
  }
  if (into === null) throw unknown(run, `its base branch '${branch}' is gone`);
  await requireNew(ports, branch);
  return { branch, commit: await beginningOf(ports, { run, tip, base }), is_new: true, checkout: null };
}

function unknown({ run_id }: WholeRun, why: string): RunnerError {
  return new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `run ${run_id} cannot be finished there: ${why}`,
    hint: `runner finish ${run_id} --into <branch>`,
  });
}

/** A branch that only a remote has would go on from another commit. */
async function requireNew(ports: EndingPorts, branch: string): Promise<void> {
  const remote = await ports.endings.commitOf(`refs/remotes/origin/${branch}`);
  if (remote !== null) {
    throw new RunnerError({
      code: 'GIT_WRONG_BRANCH',
      message: `'${branch}' is only on the remote 'origin'`,
      hint: `git branch ${branch} origin/${branch}, then the same command again`,
    });
  }
  if (await ports.endings.isBranchName(branch)) return;
  throw new RunnerError({
    code: 'USAGE',
    message: `'${branch}' cannot be the name of a branch`,
    hint: '--into <branch> with a name that git allows, such as feature/login',
  });
}

/** The base as it is now, so that a pull request has nothing else in it. */
async function beginningOf(
  ports: EndingPorts,
  request: { readonly run: WholeRun; readonly tip: string; readonly base: string | null },
): Promise<string> {
  const { run, tip, base } = request;
  const now = base === null ? null : await ports.endings.commitOf(`refs/heads/${base}`);
  const began = run.state?.base_commit ?? null;
  const recorded = began === null ? null : await ports.endings.commitOf(began);
  const commit = now ?? recorded;
  if (commit !== null && (await ports.endings.mergeBase({ ours: commit, theirs: tip })) !== null)
    return commit;
  throw unknown(run, 'it is not known which commit a new branch would begin at');
}

/** Untracked files may stay: git refuses to overwrite them. */
export async function requireTargetClean(ports: EndingPorts, { branch, checkout }: Target): Promise<void> {
  const changed = checkout === null ? [] : await ports.endings.listChanged(checkout.path);
  if (checkout === null || changed.length === 0) return;
  throw new RunnerError({
    code: 'GIT_DIRTY',
    message: `'${branch}' is checked out in ${checkout.path} and has uncommitted changes there`,
    details: changed.map((path) => JSON.stringify(path)),
    hint: `git -C ${JSON.stringify(checkout.path)} stash, or commit them, then the same command again`,
  });
}

export async function moveTarget(
  ports: EndingPorts,
  { target, commit, run_id }: { readonly target: Target; readonly commit: string; readonly run_id: string },
): Promise<void> {
  const { branch, checkout, is_new } = target;
  if (commit === target.commit && !is_new) return;
  if (checkout === null) {
    const reason = `runner: run ${run_id} finished`;
    await ports.endings.moveBranch({ branch, from: is_new ? null : target.commit, to: commit, reason });
    return;
  }
  const command = 'runner finish';
  await ports.holdWorkTree(checkout.path, command, async () => {
    await requireTargetClean(ports, target);
    await ports.endings.forward({ path: checkout.path, branch, to: commit });
  });
}
