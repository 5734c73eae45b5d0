/** From an ended session to a recorded iteration: judge, guard, outcome, commit. `step` and recovery both end here (§5.5–7, §7). */
import { guardAfterHook, nodeRecord, planGuard } from '../core/iteration/guard-plan.ts';
import { renderTree } from '../core/tree/canonical-json.ts';
import { decide } from '../core/iteration/outcome.ts';
import type { Outcome } from '../core/iteration/outcome-row.ts';
import { progressOf } from '../core/tree/progress.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { renderRunState } from '../core/iteration/run-state.ts';
import type { SessionFacts } from '../core/agents/session.ts';
import { tokensOf, unknownUsage } from '../core/agents/usage.ts';
import type { Judgement } from '../core/iteration/verdict.ts';
import { judge } from '../core/iteration/verdict.ts';
import type { Ports } from '../ports/ports.ts';
import type { GuardBudget } from './check-work.ts';
import { checkWork } from './check-work.ts';
import type { EndedSession, Findings, StepOutcome, StepRecord } from './iteration.ts';
import { keepChange } from './keep-change.ts';
import { persist } from './persist.ts';
import { reviewWork } from './review.ts';

export interface Start extends GuardBudget {
  /** Tree id of the work, when it was looked at just now. */
  readonly workTree?: string;
}

export async function conclude(ports: Ports, ended: EndedSession, budget: Start): Promise<StepOutcome> {
  const { end } = ended.session;
  if (end.kind === 'blocked' && (await isUntouched(ports, ended))) return dropBlocked(ports, ended, end);
  const judgement = await judgeSession(ports, ended);
  const { session, ...checked } = await checkIfNeeded(ports, { ended, judgement, budget });
  const findings = { ...nothingFound, ...checked, cutOffs: budget.cutOffs };
  return finish(ports, { ...ended, session }, { findings: { ...findings, judgement }, budget });
}

/** What is known of an iteration whose work nobody has checked yet. */
export const nothingFound = {
  review: null,
  reviewSpent: unknownUsage,
  hookOutput: null,
  isRestored: false,
  committed: null,
  git: null,
} as const;

/** Only what comes after a known verdict. */
export async function concludeWith(
  ports: Ports,
  ended: EndedSession,
  known: { readonly findings: Findings; readonly budget: GuardBudget },
): Promise<StepOutcome> {
  const judgement = await judgeSession(ports, ended);
  return finish(ports, ended, { ...known, findings: { ...known.findings, judgement } });
}

type Judged = Findings & { readonly judgement: Judgement | null };

/** A review, where one is asked for and still missing; then the record. */
async function finish(
  ports: Ports,
  ended: EndedSession,
  work: { readonly findings: Judged; readonly budget: GuardBudget },
): Promise<StepOutcome> {
  const { findings, budget } = work;
  const { guard, workTree, review, hookOutput, committed } = findings;
  if (guard?.end.kind !== 'passed' || review !== null || hookOutput !== null || committed !== null) {
    return record(ports, ended, findings);
  }
  const base = recordOf(ended).base ?? ended.journal.baseline_tree;
  const spent = findings.reviewSpent;
  const reviewed = await reviewWork(ports, ended, { workTree, guard, base, budget, spent });
  if (reviewed.review === null) return record(ports, ended, findings);
  // What no commit can hold, a link for example, a reviewer may have left.
  const judged = { ...findings, review: reviewed.review, isRestored: false };
  await saveVerdict(ports, { ...ended, session: reviewed.session }, judged);
  return record(ports, { ...ended, session: reviewed.session }, judged);
}

function saveVerdict(
  ports: Ports,
  ended: EndedSession,
  findings: Pick<Findings, 'guard' | 'review' | 'workTree' | 'cutOffs'>,
): Promise<void> {
  return ports.journal.save({
    ...ended.journal,
    phase: 'verdict',
    session: ended.session,
    work_tree: findings.workTree,
    guard: findings.guard,
    review: findings.review,
    cut_offs: findings.cutOffs,
    hook_output: null,
  });
}

/** Tokens that were spent are recorded, so they are no longer nothing. */
async function isUntouched(ports: Ports, ended: EndedSession): Promise<boolean> {
  if (ended.session.head !== ended.journal.baseline) return false;
  if ((tokensOf(ended.session.usage) ?? 0) > 0) return false;
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
  work: { readonly ended: EndedSession; readonly judgement: Judgement | null; readonly budget: Start },
): Promise<Pick<Findings, 'guard' | 'workTree' | 'isRestored'> & { readonly session: SessionFacts }> {
  const { ended, judgement, budget } = work;
  const { session } = ended;
  const workTree = budget.workTree ?? (await ports.git.workTreeId());
  const plan = planGuard({
    purpose: ended.journal.purpose,
    judgement,
    config: ended.journal.config,
    record: recordOf(ended),
    workTree,
    dirtySubmodules: session.dirty_submodules,
  });
  // What was looked at just now was put in order just now.
  const isRestored = budget.workTree !== undefined;
  if (plan.kind === 'skip') return { guard: null, workTree, session, isRestored };
  if (plan.kind === 'failed') return { guard: plan.run, workTree, session, isRestored };
  const isReviewed = reviewConfig(ended.journal.config) !== null;
  const checked = await checkWork(ports, ended, {
    before: workTree,
    budget,
    expect: async (guard, before) => {
      const found = { ...nothingFound, judgement, guard, workTree: before, cutOffs: budget.cutOffs };
      if (!isReviewed) await expectCommit(ports, ended, found);
    },
  });
  const { guard, workTree: checkedTree } = checked;
  // Without a review the next entry, `persisting`, comes at once and says the same.
  if (isReviewed) {
    await saveVerdict(
      ports,
      { ...ended, session: checked.session },
      { guard, review: null, workTree: checkedTree, cutOffs: budget.cutOffs },
    );
  }
  return { ...checked, isRestored: true };
}

function recordOf(ended: EndedSession): ReturnType<typeof nodeRecord> {
  const { journal } = ended;
  return nodeRecord({
    runState: journal.run_state,
    nodeId: journal.node_id,
    baselineTree: journal.baseline_tree,
  });
}

/** What the iteration amounts to. */
function outcomeOf(
  ports: Ports,
  ended: EndedSession,
  { workTree, review, judgement, guard }: Judged,
): Outcome {
  const { journal, session } = ended;
  return decide({
    purpose: journal.purpose,
    iter: journal.iter,
    nodeId: journal.node_id,
    before: ended.before,
    runState: journal.run_state,
    last: ended.last,
    config: journal.config,
    session,
    judgement,
    record: recordOf(ended),
    workTree,
    guard,
    review,
    seconds: Math.round(
      (session.duration_ms + (guard?.duration_ms ?? 0) + (review?.duration_ms ?? 0)) / 1000,
    ),
    sha256: (text) => ports.hasher.sha256(text),
  });
}

/** While git looks at what the guard left, which is mostly what it found. */
async function expectCommit(ports: Ports, ended: EndedSession, findings: Judged): Promise<void> {
  const { tree, runState } = outcomeOf(ports, ended, findings);
  await ports.git.expectCommit({
    parent: ended.session.head,
    files: [
      { path: '.runner/state/tree.json', text: renderTree(tree) },
      { path: '.runner/state/run_state.json', text: renderRunState(runState) },
    ],
  });
}

async function record(ports: Ports, ended: EndedSession, findings: Judged): Promise<StepOutcome> {
  const { journal, session } = ended;
  const { hookOutput, review } = findings;
  const guard = hookOutput === null ? findings.guard : guardAfterHook(findings.guard, hookOutput);
  const outcome = outcomeOf(ports, ended, { ...findings, guard });
  const saved = await persist(ports, { ended, outcome, guard, findings });
  if (saved.kind === 'hook_refused') {
    ports.reporter.report({
      type: 'note',
      message: 'a git hook refused the commit; it is made without hooks',
    });
    const now = await ports.git.workTreeId();
    const kept = await keepChange(ports, ended, { by: 'hook', from: findings.workTree, to: now });
    const again = { ...findings, workTree: now, hookOutput: saved.output, isRestored: false };
    return record(ports, { ...ended, session: kept }, again);
  }
  const { run_id, iter, node_id, node_path } = journal;
  const { status, guard: result, message, stop } = outcome;
  const done: StepRecord = {
    run_id,
    iter,
    node_id,
    node_path,
    status,
    guard: result,
    commit: saved.commit,
    message,
    ...outcome.spent.iteration,
    failure: outcome.failure,
    duration_ms: {
      agent: session.duration_ms,
      guard: guard?.duration_ms ?? 0,
      review: review?.duration_ms ?? 0,
    },
    waited_secs: session.waited_secs + (review?.waited_secs ?? 0),
  };
  ports.reporter.report({ type: 'iteration_ended', record: done, progress: progressOf(outcome.tree) });
  return { kind: 'recorded', record: done, stop };
}
