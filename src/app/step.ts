/**
 * One iteration, top to bottom (§5): preflight, plan, prompt, session, collect, judge, guard, review, outcome, persist. Decisions are
 * pure code in core; this file is the order of effects. The journal is written before every side effect, so a crash at any line is
 * finished by recovery, which enters at `conclude`.
 */
import type { GuardRun, ReviewRun, SessionEnd, Usage } from '../core/agents/session.ts';
import { tokensOf, unknownUsage } from '../core/agents/usage.ts';
import type { Stop } from '../core/iteration/outcome-row.ts';
import { judge } from '../core/iteration/verdict.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import type { Ports } from '../ports/ports.ts';
import { checkWork } from './check-work.ts';
import { collect } from './collect.ts';
import type { EndedSession, GuardBudget, StepOutcome } from './iteration.ts';
import { persist } from './persist.ts';
import { planNext } from './plan.ts';
import { preflight } from './preflight.ts';
import type { StepOptions } from './preflight.ts';
import { prepare } from './prepare.ts';
import { reviewWork } from './review.ts';
import { runAgent } from './run-agent.ts';

/** Contract: the lock is held and nothing is left to recover. */
export async function step(ports: Ports, options: StepOptions): Promise<StepOutcome> {
  const baseline = await preflight(ports, options);
  const plan = planNext(baseline);
  if (plan.kind !== 'work') return plan;
  await options.onReady?.();
  const { ground, prompt } = await prepare(ports, { baseline, work: plan.work });
  const { deadlineMs, ...ran } = await runAgent(ports, ground, prompt);
  const ended = await collect(ports, ground, ran);
  await ports.logs.sync();
  await ports.journal.save({ ...ended.journal, phase: 'ended', session: ended.session });
  return conclude(ports, ended, { deadlineMs, cutOffs: 0 });
}

/** What recovery knows of an iteration that was cut off (§7). */
export interface Known extends GuardBudget {
  /** The guard's run, when it must not run again. */
  readonly guard?: GuardRun | null;
  /** What reviewers used that a crash cut off. */
  readonly reviewSpent?: Usage;
  /** The iteration's commit: only the logs are missing. */
  readonly committed?: { readonly commit: string; readonly review: ReviewRun | null };
}

/** From an ended session to a recorded iteration. `step` and recovery both end here (§5.5–7, §7). */
export async function conclude(ports: Ports, ended: EndedSession, known: Known): Promise<StepOutcome> {
  const { end } = ended.session;
  const isOpen = known.committed === undefined;
  if (isOpen && (end.kind === 'blocked' || end.kind === 'paused') && (await isUntouched(ports, ended)))
    return dropIteration(ports, ended, end);

  const judgement = await judgeSession(ports, ended);
  const checked =
    known.guard === undefined
      ? await checkWork(ports, ended, { judgement, budget: known })
      : { ended, guard: known.guard };
  const reviewed =
    known.committed === undefined
      ? await reviewWork(ports, checked, { ...known, spent: known.reviewSpent ?? unknownUsage })
      : { ended, review: known.committed.review };
  return persist(ports, {
    ended: reviewed.ended,
    judgement,
    guard: checked.guard,
    review: reviewed.review,
    cutOffs: known.cutOffs,
    hookOutput: null,
    committed: known.committed?.commit ?? null,
  });
}

/** False once tokens were spent: those must be recorded. */
async function isUntouched(ports: Ports, ended: EndedSession): Promise<boolean> {
  if (ended.session.head !== ended.journal.baseline) return false;
  if ((tokensOf(ended.session.usage) ?? 0) > 0) return false;
  return (await ports.git.snapshot()).dirty.length === 0;
}

/** Blocked or paused before anything changed: no iteration is used up (§5). */
async function dropIteration(
  ports: Ports,
  ended: EndedSession,
  end: Extract<SessionEnd, { kind: 'blocked' | 'paused' }>,
): Promise<StepOutcome> {
  await ports.journal.close();
  await ports.logs.setAside();
  const stop: Stop =
    end.kind === 'paused'
      ? end
      : { kind: 'error', code: 'AGENT_BLOCKED', message: end.reason, hint: end.fix };
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
    sha256: ports.hasher.sha256,
  });
}
