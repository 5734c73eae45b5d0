/**
 * Finishes a run (§12): its work becomes one commit on the target. Everything is made and checked in a private clone first. Under the
 * repository's lock the target moves; until then the run is as it was. Then `end-run.ts` archives and removes. After a crash in between the
 * same command goes on: a target that has the commit already is not merged again.
 */
import { RunnerError } from '../../core/errors.ts';
import { renderFinishMessage } from '../../core/runs/finish-message.ts';
import type { WorkTree } from '../../ports/endings.ts';
import { applyPersonsChanges } from '../loop.ts';
import { requireClean } from '../preflight.ts';
import { recover } from '../recover.ts';
import { auditRun } from './audit.ts';
import { withLock } from '../with-lock.ts';
import { endRun } from './end-run.ts';
import type { EndedOutcome } from './end-run.ts';
import { checkResult, makeResult } from './finish-result.ts';
import { findTarget, moveTarget, requireTargetClean } from './finish-target.ts';
import type { Target } from './finish-target.ts';
import { requireNoStray } from './own-work-tree.ts';
import { prepareSync } from './sync-prd.ts';
import type { PrdFile, SyncOutcome } from './sync-prd.ts';
import { checkoutOf, findRun, folderOf, leavesOf, loadRun, requireIdle } from './whole-run.ts';
import type { EndingPlace, EndingPorts, WholeRun } from './whole-run.ts';

export interface FinishRequest {
  readonly word: string | null;
  readonly into: string | null;
  readonly mode: 'squash' | 'merge';
  readonly isPartial: boolean;
  /** Also a run that is not proven. */
  readonly isUnproven: boolean;
  readonly keepBranch: boolean;
  readonly isDryRun: boolean;
  /** The PRD that is told what became of its tasks. */
  readonly sync: PrdFile | null;
  readonly by: string;
}

export interface FinishOutcome extends EndedOutcome {
  readonly run_id: string;
  readonly into: string;
  /** What the target points to now; null with `dry_run`. */
  readonly commit: string | null;
  readonly mode: FinishRequest['mode'];
  readonly leaves: { readonly passed: number; readonly all: number };
  /** Files outside `.runner/` that the target gets. */
  readonly changed_files: number;
  readonly dry_run: boolean;
  /** Null: no PRD was named. */
  readonly sync: SyncOutcome | null;
}

export async function finish(ports: EndingPorts, request: FinishRequest): Promise<FinishOutcome> {
  const found = await findRun(ports, { command: 'finish', word: request.word });
  const { run_id, branch } = found;
  await requireNoStray(ports, found);
  const checkout = await checkoutOf(ports, branch);
  const path = checkout?.is_there === true ? checkout.path : null;
  return ports.inPlace(path, (place) =>
    withLock(place.ports, 'runner finish', async () => {
      await recoverRun(place, { run_id, isHere: path !== null });
      return finishLocked(ports, { run: await loadRun(ports, run_id), checkout, place }, request);
    }),
  );
}

/** An iteration of the run is closed by the rules of recovery; that of another run is not ours to close. */
export async function recoverRun(
  { ports }: EndingPlace,
  { run_id, isHere }: { readonly run_id: string; readonly isHere: boolean },
): Promise<void> {
  const open = await ports.journal.peek();
  if (!isHere && open !== null && open.run_id !== run_id) {
    throw new RunnerError({
      code: 'RUN_UNFINISHED',
      message: `an iteration or start of run ${open.run_id} is unfinished in this work tree`,
      hint: `runner step, or give it up: runner abandon ${open.run_id}`,
    });
  }
  await recover(ports);
  if (isHere) await applyPersonsChanges(ports);
  await ports.judge.sweep();
  for (const message of await ports.git.forget()) ports.reporter.report({ type: 'note', message });
}

/** What is finished, and from where. */
export interface Finishing {
  readonly run: WholeRun;
  readonly checkout: WorkTree | null;
  readonly place: EndingPlace;
}

async function finishLocked(
  ports: EndingPorts,
  finishing: Finishing,
  request: FinishRequest,
): Promise<FinishOutcome> {
  const { run, checkout, place } = finishing;
  const { tip } = run;
  if (tip === null) throw ended(run);
  const target = await findTarget(ports, { run, tip, into: request.into });
  const done = target.is_new ? null : await ports.endings.findFinish({ into: target.commit, tip });
  if (done === null && !run.is_local && run.record?.status === 'abandoned') throw ended(run);
  if (checkout?.is_there === true) requireClean(await place.ports.git.snapshot());
  const writeBack = await prepareSync(ports, { run, file: request.sync });
  const merged =
    done === null
      ? await merge(ports, { finishing: { ...finishing, run: { ...run, tip } }, target, request })
      : { commit: done, changed_files: 0 };
  const known = { run_id: run.run_id, into: target.branch, mode: request.mode, leaves: leavesOf(run) };
  if (request.isDryRun) {
    const nothing = { archive: null, branch_deleted: false, worktree_removed: null, rescued: null };
    return { ...known, ...nothing, ...merged, commit: null, dry_run: true, sync: null };
  }
  const end = await endRun(ports, {
    ...finishing,
    place: checkout?.is_there === true ? place : null,
    how: 'finished',
    reason: null,
    keepBranch: request.keepBranch,
    goTo: { branch: target.branch, commit: merged.commit ?? target.commit },
    by: request.by,
  });
  return { ...known, ...end, ...merged, dry_run: false, sync: (await writeBack?.()) ?? null };
}

function ended({ run_id }: WholeRun): RunnerError {
  return new RunnerError({
    code: 'RUN_ENDED',
    message: `run ${run_id} was abandoned, or nothing of it is left`,
    hint: 'runner runs --all',
  });
}

/** Contract: the target has the run's work, or nothing has changed. */
async function merge(
  ports: EndingPorts,
  request: {
    readonly finishing: Finishing & { readonly run: { readonly tip: string } };
    readonly target: Target;
    readonly request: FinishRequest;
  },
): Promise<{ readonly commit: string | null; readonly changed_files: number }> {
  const { finishing, target } = request;
  const { run, place, checkout } = finishing;
  const { isPartial, isDryRun, mode } = request.request;
  requireComplete(run, isPartial);
  if (!request.request.isUnproven) await requireProven(ports, run);
  await requireTargetClean(ports, target);
  await place.ports.git.checkSetup();
  const result = await makeResult(place, { run, target, checkout });
  const changed = await place.ports.git.changedPaths({ from: target.commit, to: result.tree });
  if (isDryRun) return { commit: null, changed_files: changed.length };
  const message = renderFinishMessage({
    run_id: run.run_id,
    title: run.title,
    tree: result.root,
    state: result.state,
    tip: run.tip,
    archive: `refs/runner/archive/${run.run_id}`,
  });
  const isMerged = await place.ports.git.isAncestor({ ancestor: run.tip, descendant: target.commit });
  const parents = mode === 'merge' && !isMerged ? [target.commit, run.tip] : [target.commit];
  const commit = await checkResult(place, { run, target, result, parents, message });
  try {
    await ports.repositoryLock.hold('runner finish', async () => {
      await requireIdle(ports, run.run_id);
      await requireUnmoved(ports, { run, target });
      await moveTarget(ports, { target, commit, run_id: run.run_id });
    });
  } catch (error) {
    await place.ports.git.releaseWork(run.run_id);
    throw error;
  }
  return { commit, changed_files: changed.length };
}

/** Before the guard runs: what is merged should follow from the run's own history (§15). */
async function requireProven(
  ports: EndingPorts,
  run: Finishing['run'] & { readonly tip: string },
): Promise<void> {
  const { run_id, tip } = run;
  const audit = await auditRun(ports.audit, { run_id, tip, iterationsMax: null, isEnded: false });
  if (audit.verdict === 'not_provable') {
    const why = audit.is_shallow
      ? 'the history is shallow (git fetch --unshallow)'
      : 'iterations were recorded by a version whose commits do not say enough';
    ports.note(`run ${run_id} is not provable: ${why}`);
  }
  if (audit.verdict !== 'unproven') return;
  const { commit = tip, rule = '', expected = '', found = '' } = audit.first ?? {};
  throw new RunnerError({
    code: 'RUN_UNPROVEN',
    message: `run ${run_id} is not proven: commit ${commit.slice(0, 12)} does not follow (${rule})`,
    details: [`expected: ${expected}`, `found: ${found}`],
    hint: `runner audit ${run_id}, or merge it all the same: runner finish ${run_id} --unproven`,
  });
}

function requireComplete({ run_id, tree, branch, record }: WholeRun, isPartial: boolean): void {
  if (isPartial || tree?.passes === true) return;
  const { passed, all } = leavesOf({ tree, record: null });
  const isBackground = record !== null && record.worktree !== null;
  const goOn = isBackground ? `runner run resume ${run_id}` : `git switch ${branch} && runner loop`;
  throw new RunnerError({
    code: 'RUN_OPEN',
    message: `run ${run_id} is not complete: ${passed} of ${all} leaves passed`,
    hint: `${goOn}, or take what there is: runner finish ${run_id} --partial`,
  });
}

/** The guard may have taken hours. A target that was switched away from, or to, would be moved in the wrong way. */
async function requireUnmoved(
  ports: EndingPorts,
  { run, target }: { readonly run: WholeRun & { readonly tip: string }; readonly target: Target },
): Promise<void> {
  const now = await ports.endings.commitOf(`refs/heads/${run.branch}`);
  const at = await ports.endings.commitOf(`refs/heads/${target.branch}`);
  const folder = await folderOf(ports, target.branch);
  const moved = [
    ...(run.is_local && now !== run.tip ? [run.branch] : []),
    ...((at ?? target.commit) === target.commit && (at === null) === target.is_new ? [] : [target.branch]),
    ...(folder === (target.checkout?.path ?? null) ? [] : [`the checkout of ${target.branch}`]),
  ];
  if (moved.length === 0) return;
  throw new RunnerError({
    code: 'GIT_FAILED',
    message: `${moved.join(' and ')} moved while the result was checked; nothing was merged`,
    hint: `runner finish ${run.run_id}`,
  });
}
