/** From an ended session to a recorded iteration: judge, guard, outcome, commit. `step` and recovery both end here (§5.5–7, §7). */
import { guardAfterHook, nodeRecord, planGuard } from '../core/guard-plan.ts';
import { decide } from '../core/outcome.ts';
import type { GuardRun, SessionFacts } from '../core/session.ts';
import type { Judgement } from '../core/verdict.ts';
import { judge } from '../core/verdict.ts';
import type { Ports } from '../ports/ports.ts';
import type { GuardBudget } from './check-work.ts';
import { checkWork } from './check-work.ts';
import type { EndedSession, Findings, StepOutcome } from './iteration.ts';
import { persist } from './persist.ts';

export async function conclude(ports: Ports, ended: EndedSession, budget: GuardBudget): Promise<StepOutcome> {
  const { end } = ended.session;
  if (end.kind === 'blocked' && (await isUntouched(ports, ended))) return dropBlocked(ports, ended, end);
  const judgement = await judgeSession(ports, ended);
  const { session, guard, workTree } = await checkIfNeeded(ports, { ended, judgement, budget });
  const findings = { guard, workTree, cutOffs: budget.cutOffs, hookOutput: null, committed: null, git: null };
  return record(ports, { ...ended, session }, { ...findings, judgement });
}

/** Only what comes after a known verdict. */
export async function concludeWith(
  ports: Ports,
  ended: EndedSession,
  findings: Findings,
): Promise<StepOutcome> {
  return record(ports, ended, { ...findings, judgement: await judgeSession(ports, ended) });
}

async function isUntouched(ports: Ports, ended: EndedSession): Promise<boolean> {
  if (ended.session.head !== ended.journal.baseline) return false;
  return (await ports.git.snapshot()).dirty.length === 0;
}

/** Blocked before anything changed: no iteration is used up (§5). */
async function dropBlocked(
  ports: Ports,
  ended: EndedSession,
  blocked: { readonly reason: string; readonly fix: string },
): Promise<StepOutcome> {
  await ports.journal.close();
  const stop = { kind: 'error', code: 'AGENT_BLOCKED', message: blocked.reason, hint: blocked.fix } as const;
  return { kind: 'not_recorded', run_id: ended.journal.run_id, stop };
}

async function judgeSession(ports: Ports, ended: EndedSession): Promise<Judgement | null> {
  const { journal, session } = ended;
  if (session.end.kind !== 'exited') return null;
  return judge({
    purpose: journal.purpose,
    before: ended.before,
    nodeId: journal.node_id,
    agentTree: session.agent_tree,
    answer: session.answer,
    allowRemoval: journal.config.tree.allow_removal,
    maxAttemptsDefault: journal.config.max_attempts_default,
    takenIds: await ports.sidecars.listIds(),
    sha256: (text) => ports.hasher.sha256(text),
  });
}

async function checkIfNeeded(
  ports: Ports,
  work: { readonly ended: EndedSession; readonly judgement: Judgement | null; readonly budget: GuardBudget },
): Promise<{ readonly guard: GuardRun | null; readonly workTree: string; readonly session: SessionFacts }> {
  const { ended, judgement, budget } = work;
  const { session } = ended;
  const workTree = await ports.git.workTreeId();
  const plan = planGuard({
    purpose: ended.journal.purpose,
    judgement,
    config: ended.journal.config,
    record: recordOf(ended),
    workTree,
    dirtySubmodules: session.dirty_submodules,
  });
  if (plan.kind === 'skip') return { guard: null, workTree, session };
  if (plan.kind === 'failed') return { guard: plan.run, workTree, session };
  const checked = await checkWork(ports, ended, { before: workTree, budget });
  await ports.journal.save({
    ...ended.journal,
    phase: 'verdict',
    session: checked.session,
    work_tree: checked.workTree,
    guard: checked.guard,
    cut_offs: budget.cutOffs,
    hook_output: null,
  });
  return checked;
}

function recordOf(ended: EndedSession): ReturnType<typeof nodeRecord> {
  const { journal } = ended;
  return nodeRecord({
    runState: journal.run_state,
    nodeId: journal.node_id,
    baselineTree: journal.baseline_tree,
  });
}

async function record(
  ports: Ports,
  ended: EndedSession,
  findings: Findings & { readonly judgement: Judgement | null },
): Promise<StepOutcome> {
  const { journal, session } = ended;
  const { hookOutput, workTree } = findings;
  const guard = hookOutput === null ? findings.guard : guardAfterHook(findings.guard, hookOutput);
  const outcome = decide({
    purpose: journal.purpose,
    iter: journal.iter,
    nodeId: journal.node_id,
    before: ended.before,
    runState: journal.run_state,
    last: ended.last,
    config: journal.config,
    session,
    judgement: findings.judgement,
    record: recordOf(ended),
    workTree,
    guard,
    seconds: Math.round((session.duration_ms + (guard?.duration_ms ?? 0)) / 1000),
    sha256: (text) => ports.hasher.sha256(text),
  });
  const saved = await persist(ports, { ended, outcome, guard, findings });
  if (saved.kind === 'hook_refused') {
    ports.reporter.report({
      type: 'note',
      message: 'a git hook refused the commit; it is made without hooks',
    });
    const now = await ports.git.workTreeId();
    return record(ports, ended, { ...findings, workTree: now, hookOutput: saved.output });
  }
  const { run_id, iter, node_id, node_path } = journal;
  const { status, guard: result, message, stop } = outcome;
  ports.reporter.report({ type: 'iteration_ended', run_id, iter, node_id, status, guard: result, message });
  const done = { run_id, iter, node_id, node_path, status, guard: result, commit: saved.commit, message };
  return { kind: 'recorded', record: done, stop };
}
