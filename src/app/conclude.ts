/** From an ended session to a recorded iteration: judge, guard, outcome, commit. `step` and recovery both end here (§5.5–7, §7). */
import { nodeRecord, planGuard } from '../core/guard-plan.ts';
import { decide } from '../core/outcome.ts';
import type { Outcome } from '../core/outcome-row.ts';
import type { GuardRun } from '../core/session.ts';
import type { Config } from '../core/types.ts';
import type { Judgement } from '../core/verdict.ts';
import { judge } from '../core/verdict.ts';
import type { Ports } from '../ports/ports.ts';
import type { CheckedWork, GuardBudget } from './check-work.ts';
import { checkWork } from './check-work.ts';
import type { EndedSession, StepOutcome } from './iteration.ts';
import { persist } from './persist.ts';

export async function conclude(ports: Ports, ended: EndedSession, budget: GuardBudget): Promise<StepOutcome> {
  const { end } = ended.session;
  if (end.kind === 'blocked' && (await isUntouched(ports, ended))) return dropBlocked(ports, ended, end);
  const judgement = await judgeSession(ports, ended);
  const checked = await checkIfNeeded(ports, { ended, judgement, budget });
  return record(ports, ended, {
    judgement,
    checked,
    cutOffs: budget.cutOffs,
    hookOutput: null,
    committed: null,
    git: null,
  });
}

/** What recovery already knows of an iteration (§7). */
export interface Verdict {
  readonly checked: Checked;
  readonly cutOffs: number;
  readonly hookOutput: string | null;
  readonly committed: string | null;
  /** The `git.*` settings in force now, when a commit is tried again (§5). */
  readonly git: Config['git'] | null;
}

/** Only what comes after a known verdict. */
export async function concludeWithVerdict(
  ports: Ports,
  ended: EndedSession,
  verdict: Verdict,
): Promise<StepOutcome> {
  return record(ports, ended, { ...verdict, judgement: await judgeSession(ports, ended) });
}

interface Checked {
  readonly guard: GuardRun | null;
  readonly workTree: string;
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
): Promise<Checked> {
  const { ended, judgement, budget } = work;
  const workTree = await ports.git.workTreeId();
  const plan = planGuard({
    purpose: ended.journal.purpose,
    judgement,
    config: ended.journal.config,
    record: recordOf(ended),
    workTree,
    dirtySubmodules: ended.session.dirty_submodules,
  });
  if (plan.kind === 'skip') return { guard: null, workTree };
  if (plan.kind === 'failed') return { guard: plan.run, workTree };
  const checked: CheckedWork = await checkWork(ports, ended, { before: workTree, budget });
  await ports.journal.save({
    ...ended.journal,
    phase: 'verdict',
    session: ended.session,
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

interface Findings extends Verdict {
  readonly judgement: Judgement | null;
}

async function record(ports: Ports, ended: EndedSession, findings: Findings): Promise<StepOutcome> {
  const { journal, session } = ended;
  const { guard, workTree } = findings.checked;
  const decideWith = (verdict: GuardRun | null): Outcome =>
    decide({
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
      guard: verdict,
      seconds: Math.round((session.duration_ms + (guard?.duration_ms ?? 0)) / 1000),
      sha256: (text) => ports.hasher.sha256(text),
    });
  return persist(ports, {
    ended,
    guard,
    workTree,
    cutOffs: findings.cutOffs,
    hookOutput: findings.hookOutput,
    committed: findings.committed,
    git: findings.git,
    decideWith,
  });
}
