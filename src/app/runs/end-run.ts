/**
 * What finishing and abandoning a run have in common (§12), under the repository's lock. In this order, so that the same command goes on
 * after a crash anywhere: archive ref, the checkout leaves the branch or its own work tree goes, branch, record. Until the branch is
 * gone the run is found by it; then by its archive.
 */
import { endRecord } from '../../core/runs/ended-record.ts';
import type { EndedRun } from '../../core/runs/ended-record.ts';
import type { WorkTree } from '../../ports/endings.ts';
import { findStray, isOwn, removeWorkTree } from './own-work-tree.ts';
import type { EndingPlace, EndingPorts, WholeRun } from './whole-run.ts';
import { folderOf, leavesOf, requireIdle } from './whole-run.ts';

export interface RunEnd {
  readonly run: WholeRun;
  readonly how: EndedRun['how'];
  readonly reason: string | null;
  readonly keepBranch: boolean;
  /** Where the branch is checked out, and the ports there; null: nowhere. */
  readonly checkout: WorkTree | null;
  readonly place: EndingPlace | null;
  /** Where that checkout goes. */
  readonly goTo: { readonly branch: string; readonly commit: string } | null;
  readonly by: string;
}

export interface EndedOutcome {
  /** Null: no commit of the run was left. */
  readonly archive: string | null;
  readonly branch_deleted: boolean;
  readonly worktree_removed: string | null;
  /** Where uncommitted work was saved; null: there was none. */
  readonly rescued: string | null;
}

/** Contract: the lock of the checkout is held, and no iteration of the run is open. */
export async function endRun(ports: EndingPorts, end: RunEnd): Promise<EndedOutcome> {
  await endProcesses(ports, end);
  return ports.repositoryLock.hold(`runner ${end.how === 'finished' ? 'finish' : 'abandon'}`, async () => {
    const { run } = end;
    await requireIdle(ports, run.run_id);
    const archive =
      run.tip === null ? null : await ports.endings.archive({ run_id: run.run_id, commit: run.tip });
    const left = (await isSwitched(ports, end))
      ? { worktree_removed: null, rescued: null }
      : await leaveCheckout(ports, end);
    const isDropped =
      run.is_local && run.tip !== null && !end.keepBranch && !(await isCheckedOut(ports, end));
    if (isDropped) await ports.endings.dropBranch({ branch: run.branch, from: run.tip });
    await ports.endings.dropRef(`refs/runner/hold/${run.run_id}`);
    await saveRecord(ports, end);
    return { archive, branch_deleted: isDropped, ...left };
  });
}

/** What a killed session left is ended by recovery in the work tree, and here where that was deleted by hand. */
async function endProcesses(ports: EndingPorts, { run, checkout }: RunEnd): Promise<void> {
  if (checkout?.is_there === true) return;
  const gone = checkout?.path ?? run.record?.worktree ?? null;
  if (gone !== null) await ports.leftovers.endProcesses(gone);
}

/** The guard may have taken hours: a checkout that somebody switched since is theirs. */
async function isSwitched(ports: EndingPorts, { run, checkout }: RunEnd): Promise<boolean> {
  if (checkout?.is_there !== true) return false;
  const now = (await ports.endings.listWorkTrees()).find(({ path }) => path === checkout.path);
  if (now?.branch === checkout.branch) return false;
  ports.note(`${checkout.path} is not on ${checkout.branch ?? run.branch} any more, and stays as it is`);
  return true;
}

/** A checkout without its branch would show every file as new. */
async function isCheckedOut(ports: EndingPorts, { run }: RunEnd): Promise<boolean> {
  const folder = await folderOf(ports, run.branch);
  if (folder !== null) ports.note(`${run.branch} is checked out in ${folder}, and stays`);
  return folder !== null;
}

/** A person's checkout goes elsewhere; the work tree that the runner made for the run is removed. */
async function leaveCheckout(
  ports: EndingPorts,
  { run, checkout, place, goTo }: RunEnd,
): Promise<Pick<EndedOutcome, 'worktree_removed' | 'rescued'>> {
  const known = run.record?.worktree ?? null;
  const stray = await findStray(ports, run);
  if (stray !== null && stray.path !== checkout?.path) {
    ports.note(`the work tree ${stray.path} is not on ${run.branch}; it stays as it is`);
    if (checkout === null) return { worktree_removed: null, rescued: null };
  }
  if (checkout === null) {
    // Removed in part before, or deleted by hand.
    if (known !== null) await removeWorkTree(ports, { path: known, run_id: run.run_id });
    return { worktree_removed: known, rescued: null };
  }
  const { path } = checkout;
  if (isOwn(ports, run, path) || !checkout.is_there) {
    const rescued = place === null ? null : await rescueDirty(place, run);
    const { prefix } = await ports.git.locate();
    if (checkout.is_there) await ports.leftovers.keepLogs({ run_id: run.run_id, work_tree: path, prefix });
    if (await stays(ports, run, path)) return { worktree_removed: null, rescued };
    await removeWorkTree(ports, { path, run_id: run.run_id });
    return { worktree_removed: path, rescued };
  }
  if (goTo !== null) {
    const others = (await ports.endings.listWorkTrees()).filter((other) => other.path !== path);
    const isElsewhere = others.some(({ branch }) => branch === goTo.branch);
    const isThere = (await ports.endings.commitOf(`refs/heads/${goTo.branch}`)) !== null;
    const branch = isElsewhere || !isThere ? null : goTo.branch;
    await ports.endings.leave({ path, branch, commit: goTo.commit });
  }
  return { worktree_removed: null, rescued: null };
}

/** With work in submodules it is only taken off the branch. */
async function stays(ports: EndingPorts, run: WholeRun, path: string): Promise<boolean> {
  const { submodules } = await ports.endings.findUnsaved(path);
  if (submodules.length === 0) return false;
  if (run.tip !== null) await ports.endings.leave({ path, branch: null, commit: run.tip });
  ports.note(
    `the work tree ${path} stays: its submodules have work that would be lost with it (${submodules.join(', ')}); save it there, then runner clean`,
  );
  return true;
}

/** What no ref has yet. Null: nothing. */
export async function rescueDirty(place: EndingPlace, run: WholeRun): Promise<string | null> {
  const { git } = place.ports;
  const { dirty, head } = await git.snapshot();
  if (head === null || (dirty.length === 0 && (await place.endings.isKept(head)))) return null;
  return git.rescueWork({ run_id: run.run_id, iter: run.state?.next_iter ?? 0, parent: head });
}

async function saveRecord(ports: EndingPorts, end: RunEnd): Promise<void> {
  const { run, how, reason, by } = end;
  const found = await ports.records.load(run.run_id);
  const record = found?.kind === 'record' ? found.record : null;
  if (record?.status === how) return;
  const { prefix } = await ports.git.locate();
  await ports.records.save(
    endRecord(record, {
      run_id: run.run_id,
      how,
      now: ports.clock.nowIso(),
      title: run.title,
      branch: run.branch,
      state: run.state,
      leaves: leavesOf(run),
      tip: run.tip ?? 'unknown',
      prefix,
      reason,
      by,
    }),
  );
}
