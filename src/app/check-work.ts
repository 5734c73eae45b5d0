/**
 * Runs the guard on exactly the bytes that will be committed: tree ids before and after must be equal (§5). What is green in place goes
 * on to the further checks of §14.
 */
import type { GuardEnd, GuardRun } from '../core/agents/session.ts';
import { failedRun, planGuard, recordOf } from '../core/iteration/guard-plan.ts';
import type { GuardPlan } from '../core/iteration/guard-plan.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import { listPaths } from '../core/text/path-list.ts';
import type { Ports } from '../ports/ports.ts';
import { checkFurther } from './check-further.ts';
import type { EndedSession, GuardBudget, GuardedWork } from './iteration.ts';
import { keepChange } from './keep-change.ts';
import { checkRatchet } from './ratchet.ts';
import { settleWork } from './settle.ts';

export interface CheckedWork {
  /** Null: this answer needs no guard. */
  readonly guard: GuardRun | null;
  /** With git put in order again: the guard runs what the agent wrote, so its commits are the session's. */
  readonly ended: EndedSession;
}

export async function checkWork(
  ports: Ports,
  ended: EndedSession,
  { judgement, budget }: { readonly judgement: Judgement | null; readonly budget: GuardBudget },
): Promise<CheckedWork> {
  const record = recordOf(ended.journal);
  const { purpose, config } = ended.journal;
  const dirtySubmodules = ended.session.dirty_submodules;
  const planFor = (workTree: string): GuardPlan =>
    planGuard({ purpose, judgement, config, record, workTree, dirtySubmodules });
  const plan = planFor(ended.workTree);
  if (plan.kind === 'skip') return { ended, guard: null };
  if (plan.kind === 'failed') return { ended, guard: plan.run };
  const placed = await checkInPlace(ports, ended, budget);
  if (placed.guard.end.kind !== 'passed' || judgement?.kind !== 'accepted') return placed;
  const bytes = await checkBytes(ports, placed.ended, record.base);
  if (bytes !== null) return { ...placed, guard: { ...placed.guard, end: bytes } };
  const ratcheted = await checkRatchet(ports, placed, budget.cutOffs);
  if (ratcheted.guard.end.kind !== 'passed') return ratcheted;
  const checked = await checkFurther(ports, ratcheted, { judgement, budget, base: record.base });
  // A guard that took the change back leaves an empty one, which is treated like any other (§9).
  const isEmpty = checked.guard.end.kind === 'passed' && planFor(checked.ended.workTree).kind === 'skip';
  return isEmpty ? { ...checked, guard: null } : checked;
}

/** The guard in the work tree; once more when it changes files, and red when it keeps doing so. */
async function checkInPlace(ports: Ports, ended: EndedSession, budget: GuardBudget): Promise<GuardedWork> {
  const ran = await runGuard(ports, ended, budget);
  const kept = await keepChange(ports, ran.ended, { by: 'the guard', from: ended.workTree });
  const first = { ...ran, ended: kept };
  if (first.guard.end.kind !== 'passed' || first.ended.workTree === ended.workTree) return first;
  const second = await runGuard(ports, first.ended, budget);
  const duration_ms = first.guard.duration_ms + second.guard.duration_ms;
  if (second.guard.end.kind !== 'passed' || second.ended.workTree === first.ended.workTree)
    return { ...second, guard: { ...second.guard, duration_ms } };

  const paths = await ports.git.changedPaths({ from: first.ended.workTree, to: second.ended.workTree });
  const reason = `the guard keeps changing files: ${paths.join(', ')}`;
  const { exit_code, log_sha256 } = second.guard;
  const guard = { ...failedRun(reason, second.guard.output), exit_code, log_sha256, duration_ms };
  return { ...second, guard };
}

/**
 * A green guard counts only for bytes that a checkout of the commit has, too (§14). Null: a checkout has the bytes the guard saw, or had
 * others before this work as well.
 */
async function checkBytes(
  ports: Ports,
  { journal, workTree }: EndedSession,
  base: string | null,
): Promise<Extract<GuardEnd, { kind: 'failed' }> | null> {
  // Attributes of an earlier iteration of this node are judged with the work that they change.
  const isEarlier = base !== null && base !== journal.baseline_tree && (await ports.git.isWhole(base));
  const from = isEarlier ? base : journal.baseline;
  const paths = await ports.git.listOtherBytes({ from, to: workTree });
  if (paths.length === 0) return null;
  const reason = `the check is green, but with the changed .gitattributes a checkout of this work has other bytes than it saw: ${listPaths(paths)}`;
  return { kind: 'failed', reason, by: 'bytes' };
}

/** The guard, and git put in order behind it. */
async function runGuard(ports: Ports, ended: EndedSession, budget: GuardBudget): Promise<GuardedWork> {
  const { journal, session, workTree } = ended;
  const { run_id, iter } = journal;
  await ports.git.holdWork({ run_id, workTree });
  const cut_offs = budget.cutOffs;
  await ports.journal.save({
    ...journal,
    phase: 'guard',
    session,
    work_tree: workTree,
    check: 'place',
    cut_offs,
  });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const guard = await ports.guards.run({
    run_id,
    iter,
    node_id: journal.node_id,
    cookie: journal.cookie,
    deadlineMs: budget.deadlineMs,
    config: journal.config,
    onActivity: ({ line }) => ports.reporter.report({ type: 'activity', source: 'guard', line }),
  });
  const settled = await settleWork(ports, ended);
  for (const message of settled.notes) ports.reporter.report({ type: 'note', message });
  const { head, refs, notes } = settled;
  const after = { ...session, head, notes: [...session.notes, ...notes] };
  return { guard, ended: { ...ended, refs, workTree: settled.workTree, session: after } };
}
