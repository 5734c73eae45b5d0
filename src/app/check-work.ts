/**
 * Runs the guard on exactly the bytes that will be committed: tree ids before and after must be equal (§5). A guard that changes
 * files runs once more on the result; one that keeps changing them fails.
 */
import { failedRun } from '../core/guard-plan.ts';
import type { GuardRun } from '../core/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession } from './iteration.ts';

export interface CheckedWork {
  readonly guard: GuardRun;
  /** Tree id of the work the verdict is about. */
  readonly workTree: string;
}

export interface GuardBudget {
  readonly deadlineMs: number;
  /** Guard runs of this iteration that a crash has already cut off (§7). */
  readonly cutOffs: number;
}

/** `before` is the tree id of the work as it is now. */
export async function checkWork(
  ports: Ports,
  ended: EndedSession,
  work: { readonly before: string; readonly budget: GuardBudget },
): Promise<CheckedWork> {
  const first = await runOnce(ports, ended, work);
  if (first.guard.end.kind !== 'passed' || first.after === first.before) return settled(first);
  const second = await runOnce(ports, ended, { before: first.after, budget: work.budget });
  if (second.guard.end.kind !== 'passed' || second.after === second.before) return settled(second);
  const paths = await ports.git.changedPaths({ from: second.before, to: second.after });
  const reason = `the guard keeps changing files: ${paths.join(', ')}`;
  const { exit_code, log_sha256 } = second.guard;
  return {
    guard: { ...failedRun(reason, second.guard.output), exit_code, log_sha256 },
    workTree: second.after,
  };
}

interface GuardPass {
  readonly before: string;
  readonly after: string;
  readonly guard: GuardRun;
}

function settled(pass: GuardPass): CheckedWork {
  return { guard: pass.guard, workTree: pass.after };
}

async function runOnce(
  ports: Ports,
  ended: EndedSession,
  work: { readonly before: string; readonly budget: GuardBudget },
): Promise<GuardPass> {
  const { before, budget } = work;
  const { journal, session } = ended;
  await ports.journal.save({
    ...journal,
    phase: 'guard',
    session,
    work_tree: before,
    cut_offs: budget.cutOffs,
  });
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  const guard = await ports.guards.run({
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    cookie: journal.cookie,
    deadlineMs: budget.deadlineMs,
    config: journal.config,
    onActivity: ({ line }) => ports.reporter.report({ type: 'activity', line }),
  });
  return { before, after: await ports.git.workTreeId(), guard };
}
