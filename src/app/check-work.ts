/**
 * Runs the guard on exactly the bytes that will be committed: tree ids before and after must be equal (§5). A guard that changes
 * files runs once more on the result; one that keeps changing them fails.
 */
import { assert } from '../core/errors.ts';
import { failedRun } from '../core/iteration/guard-plan.ts';
import { diffBytesMax } from '../core/limits.ts';
import type { GuardRun, SessionFacts } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import { alongside } from './alongside.ts';
import type { EndedSession } from './iteration.ts';
import { keepChange } from './keep-change.ts';

export interface CheckedWork {
  readonly guard: GuardRun;
  /** Tree id of the work the verdict is about. */
  readonly workTree: string;
  /** With git put in order again: the guard runs what the agent wrote, so its commits are the session's. */
  readonly session: SessionFacts;
}

export interface GuardBudget {
  readonly deadlineMs: number;
  /** Guard runs of this iteration that a crash has already cut off (§7). */
  readonly cutOffs: number;
}

interface GuardWork {
  /** Tree id of the work as it is now. */
  readonly before: string;
  readonly budget: GuardBudget;
  /** Told what the guard said as soon as that is known; with the work it began with, which it mostly leaves as it was. */
  readonly expect: (guard: GuardRun, before: string) => Promise<void>;
}

export async function checkWork(ports: Ports, ended: EndedSession, work: GuardWork): Promise<CheckedWork> {
  const ran = await runOnce(ports, ended, work);
  const change = { by: 'guard', from: work.before, to: ran.workTree } as const;
  const first = { ...ran, session: await keepChange(ports, { ...ended, session: ran.session }, change) };
  if (first.guard.end.kind !== 'passed' || first.workTree === work.before) return first;
  const second = await runOnce(
    ports,
    { ...ended, session: first.session },
    { ...work, before: first.workTree },
  );
  const duration_ms = first.guard.duration_ms + second.guard.duration_ms;
  if (second.guard.end.kind !== 'passed' || second.workTree === first.workTree) {
    return { ...second, guard: { ...second.guard, duration_ms } };
  }
  const paths = await ports.git.changedPaths({ from: first.workTree, to: second.workTree });
  const reason = `the guard keeps changing files: ${paths.join(', ')}`;
  const { exit_code, log_sha256 } = second.guard;
  const guard = { ...failedRun(reason, second.guard.output), exit_code, log_sha256, duration_ms };
  return { ...second, guard };
}

/** The guard, and git put in order behind it. */
async function runOnce(ports: Ports, ended: EndedSession, work: GuardWork): Promise<CheckedWork> {
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
  // The guard rarely changes files, so the patch of the iteration can be worked out meanwhile.
  ports.git.expectDiff({ from: journal.baseline_tree, to: before, bytesMax: diffBytesMax });
  const running = ports.guards.run({
    run_id: journal.run_id,
    iter: journal.iter,
    node_id: journal.node_id,
    cookie: journal.cookie,
    deadlineMs: budget.deadlineMs,
    config: journal.config,
    onActivity: ({ line }) => ports.reporter.report({ type: 'activity', source: 'guard', line }),
    onQuiet: () => ports.git.expectWork(),
  });
  // From here on the journal no longer leads to what the session printed. A guard may clean the log away meanwhile; what then cannot be
  // synced is told afterwards, when nobody else is at work.
  const synced = ports.logs.sync().catch(() => undefined);
  const guard = await alongside(running, synced);
  const kept = await ports.lock.keep();
  const { run_id, iter, branch, baseline } = journal;
  const { head, work_tree, ...settled } = await ports.git.settle({
    ...{ run_id, iter, branch, baseline },
    meanwhile: async () => {
      await ports.controlFiles.restore({ commit: ended.commit, run_id, iter });
      await ports.logs.sync();
      await work.expect(guard, before);
    },
  });
  assert(work_tree !== null, 'the work is looked at when git is put in order');
  const notes = [...kept, ...settled.notes];
  for (const message of notes) ports.reporter.report({ type: 'note', message });
  return { guard, workTree: work_tree, session: { ...session, head, notes: [...session.notes, ...notes] } };
}
