/**
 * Gives a run up (§12), from any branch, also when its own is gone. Nothing is lost: an unfinished iteration is closed, uncommitted
 * work goes under rescue, the last commit under its archive ref. Can be repeated after a crash at any point.
 */
import { RunnerError } from '../../core/errors.ts';
import type { WorkTree } from '../../ports/endings.ts';
import { recover } from '../recover.ts';
import { withLock } from '../with-lock.ts';
import { endRun, rescueDirty } from './end-run.ts';
import type { EndedOutcome } from './end-run.ts';
import { findStray, requireSubmodules } from './own-work-tree.ts';
import { checkoutOf, findRun, loadRun } from './whole-run.ts';
import type { EndingPlace, EndingPorts, WholeRun } from './whole-run.ts';

export interface AbandonOutcome extends EndedOutcome {
  readonly run_id: string;
  readonly branch: string;
  /** Where a checkout of the run's branch is now; null: there was none. */
  readonly back_to: string | null;
}

export interface AbandonRequest {
  readonly word: string | null;
  readonly keepBranch: boolean;
  readonly by: string;
}

export async function abandon(ports: EndingPorts, request: AbandonRequest): Promise<AbandonOutcome> {
  const found = await findRun(ports, { command: 'abandon', word: request.word });
  const { run_id, branch, record } = found;
  if (record?.status === 'finished') {
    const message = `run ${run_id} is finished`;
    throw new RunnerError({ code: 'RUN_ENDED', message, hint: 'runner runs --all' });
  }
  const first = (await checkoutOf(ports, branch)) ?? (await findStray(ports, found));
  if (first?.is_there === true) await requireSubmodules(ports, found, first.path);
  for (const { path, is_there } of await ports.endings.listWorkTrees()) {
    const isOpen = is_there && path !== first?.path && (await ports.openRunAt(path)) === run_id;
    if (isOpen) await ports.inPlace(path, (place) => closeElsewhere(place, run_id));
  }
  // Closing may have made the branch again.
  const checkout = (await checkoutOf(ports, branch)) ?? (await findStray(ports, found));
  if (checkout?.is_there !== true)
    return end(ports, { run_id, checkout, place: null, rescued: null }, request);
  return ports.inPlace(checkout.path, (place) =>
    withLock(place.ports, 'runner abandon', async () => {
      await closeIteration(place, run_id);
      const isOnBranch = checkout.branch === branch;
      const rescued = isOnBranch ? await takeOut(place, await loadRun(ports, run_id)) : null;
      return end(ports, { run_id, checkout, place, rescued }, request);
    }),
  );
}

async function closeElsewhere(place: EndingPlace, runId: string): Promise<void> {
  await withLock(place.ports, 'runner abandon', () => closeIteration(place, runId));
}

/** By the rules of recovery (§7); where they cannot go on by themselves the work is kept under rescue and the entry closed. */
async function closeIteration({ ports }: EndingPlace, runId: string): Promise<void> {
  const { git, journal, reporter } = ports;
  const open = await journal.peek();
  try {
    await recover(ports);
  } catch (error) {
    if (!(error instanceof RunnerError) || !closable.has(error.code)) throw error;
    reporter.report({ type: 'note', message: error.message });
    if ((await journal.recall()).kind !== 'none') {
      if (open !== null && 'cookie' in open) await ports.sweeper.end(open.cookie);
      const { head, dirty } = await git.snapshot();
      const iter = open?.kind === 'iteration' ? open.iter : 0;
      if (head !== null && dirty.length > 0) {
        const ref = await git.rescueWork({ run_id: runId, iter, parent: head });
        reporter.report({
          type: 'note',
          message: `uncommitted files are saved as ${ref}, and stay as they are`,
        });
      }
      await git.releaseWork(runId);
      await journal.setAside();
      await journal.close();
    }
  }
  await ports.judge.sweep();
  for (const message of await git.forget()) reporter.report({ type: 'note', message });
}

/** What says something about the run, not about the machine: a run that is given up need not be whole. */
const closable: ReadonlySet<string> = new Set([
  ...['GIT_WRONG_BRANCH', 'GIT_FAILED', 'RUN_UNFINISHED', 'TREE_INVALID', 'RUN_STATE_INVALID'],
  ...['CONFIG_INVALID', 'GOAL_INVALID', 'LAYOUT_MISSING', 'LAYOUT_INVALID', 'GUARD_MISSING', 'AGENT_MISSING'],
]);

/** Uncommitted work goes under rescue, and the files are those of the last commit. */
async function takeOut(place: EndingPlace, run: WholeRun): Promise<string | null> {
  const { git } = place.ports;
  const ref = await rescueDirty(place, run);
  const { head } = await git.snapshot();
  if (ref === null || head === null) return null;
  const to = await git.wholeTreeId();
  const paths = await git.changedPaths({ from: head, to, whole: true });
  await git.restorePaths({ commit: head, paths });
  await git.finishCommit({ branch: run.branch, commit: head });
  return ref;
}

async function end(
  ports: EndingPorts,
  found: {
    readonly run_id: string;
    readonly checkout: WorkTree | null;
    readonly place: EndingPlace | null;
    readonly rescued: string | null;
  },
  { keepBranch, by }: AbandonRequest,
): Promise<AbandonOutcome> {
  const run = await loadRun(ports, found.run_id);
  const { checkout, place } = found;
  const base = run.state?.base_branch ?? run.record?.base_branch ?? null;
  const now = base === null ? null : await ports.endings.commitOf(`refs/heads/${base}`);
  const began = run.state?.base_commit ?? null;
  const commit = now ?? (began === null ? null : await ports.endings.commitOf(began)) ?? run.tip;
  const goTo = commit === null ? null : { branch: base ?? '', commit };
  const rest = { how: 'abandoned', reason: null, keepBranch, goTo, by } as const;
  const ended = await endRun(ports, { run, checkout, place, ...rest });
  const at = (await ports.endings.listWorkTrees()).find(({ path }) => path === checkout?.path);
  return {
    run_id: run.run_id,
    branch: run.branch,
    back_to: checkout === null || ended.worktree_removed !== null ? null : (at?.branch ?? base ?? commit),
    ...ended,
    rescued: found.rescued ?? ended.rescued,
  };
}
