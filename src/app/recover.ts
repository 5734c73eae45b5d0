/**
 * Finishes or undoes an iteration that a crash left open, by rule (§7). The journal says how far it came, never what is true:
 * settings, tree and run state come from B, and the guard runs again. The dead session's processes are ended first.
 */
import type { AnyJournal, GuardRun, JournalEntry, SessionFacts } from '../core/agents/session.ts';
import { addUsage, unknownUsage } from '../core/agents/usage.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { guardCutOffsMax } from '../core/limits.ts';
import type { Ports } from '../ports/ports.ts';
import { isSessionPhase } from '../core/iteration/anchor.ts';
import { undoBaseline } from './baseline.ts';
import { collect } from './collect.ts';
import type { EndedSession, GuardBudget, StepOutcome } from './iteration.ts';
import { keepChange } from './keep-change.ts';
import { becameDirty, groundAt, limitTime, loadFacts, treeAt, unjudged } from './recover-facts.ts';
import { recoverLost, setAside } from './recover-lost.ts';
import { queueOf, refuseForgeable } from './person/queue.ts';
import { locateBranch, requireSameProject, rescueUnbased } from './recover-place.ts';
import { undoRatchet } from './ratchet.ts';
import { takeBack } from './review.ts';
import { conclude } from './step.ts';
import { withLock } from './with-lock.ts';

/** Closes what a crash left open in a work tree, and begins nothing new. */
export async function recoverOnly(ports: Ports, command: string): Promise<void> {
  await withLock(ports, command, async () => {
    await recover(ports);
    await ports.judge.sweep();
  });
}

/** Contract: the lock is held. Null: there was nothing to recover, or nothing worth a record. */
export async function recover(ports: Ports): Promise<StepOutcome | null> {
  await ports.workspace.sweep();
  // While it is known what the session could reach.
  await refuseForgeable(queueOf(ports));
  const found = await ports.journal.recall();
  switch (found.kind) {
    case 'none':
      return null;
    case 'lost': {
      const entry = await recoverLost(ports, found);
      return entry === null ? null : told(ports, await closeUndone(ports, entry));
    }
    case 'entry':
      return recoverEntry(ports, found.entry, found.anchor?.phase);
  }
}

async function recoverEntry(
  ports: Ports,
  found: AnyJournal,
  trustedPhase: JournalEntry['phase'] | undefined,
): Promise<StepOutcome | null> {
  if (found.kind === 'start') {
    // A branch of another name was never begun by us.
    if (found.branch === `runner/${found.run_id}`) await finishStart(ports, found);
    else await setAside(ports, ['the branch of the start is not that of its run']);
    return null;
  }
  if (found.kind === 'finish') {
    await ports.sweeper.end(found.cookie);
    await ports.git.releaseWork(found.run_id);
    await ports.journal.close();
    const message = `runner finish or audit of ${found.run_id} was cut off while the guard ran; nothing was changed`;
    ports.reporter.report({ type: 'note', message });
    return null;
  }
  if (found.kind === 'baseline') {
    await ports.sweeper.end(found.cookie);
    await ports.git.remember();
    await requireSameProject(ports, { ...found, what: 'the start', command: 'start' });
    await undoBaseline(ports, found);
    return null;
  }
  const { run_id, iter, phase } = found;
  ports.reporter.report({ type: 'recovering', run_id, iter, phase });
  await ports.sweeper.end(found.cookie);
  await ports.git.remember();
  await requireSameProject(ports, { ...found, what: `iteration ${iter}`, command: 'step' });
  const where = await locateBranch(ports, found);
  const entry = where === 'gone' ? null : await loadFacts(ports, found);
  await undoRatchet(ports, entry ?? found);
  if (where === 'gone') return rescueUnbased(ports, found);
  const isSession = isSessionPhase(trustedPhase ?? phase);
  const outcome =
    entry === null
      ? await closeUndone(ports, await unjudged(ports, found))
      : await finish(ports, entry, isSession);
  return told(ports, outcome);
}

function told(ports: Ports, outcome: StepOutcome): StepOutcome {
  if (outcome.kind === 'recorded') {
    const { run_id, iter, status, guard } = outcome.record;
    const message = `recorded as status=${status} guard=${guard}`;
    ports.reporter.report({ type: 'recovered', run_id, iter, message });
  }
  return outcome;
}

/** Closes the entry even on failure: `start` builds all of it again, and an open entry would block other commands. */
export async function finishStart(
  ports: Ports,
  entry: { readonly branch: string; readonly commit: string },
): Promise<void> {
  try {
    await ports.git.finishStart({ branch: entry.branch, commit: entry.commit });
  } finally {
    await ports.journal.close();
  }
}

/** `isSession`: code of an agent may have been running when the crash came. */
async function finish(ports: Ports, found: JournalEntry, isSession: boolean): Promise<StepOutcome> {
  const { run_id, iter } = found;
  if (!('session' in found)) return closeUndone(ports, found);
  const deadlineMs = limitTime(ports, found);
  await ports.logs.reopen({ run_id, iter });
  // Only the last phase commits, and only above the session's own commits: an agent may have copied our subject (§1).
  if (found.phase === 'persisting') {
    const commit = await ports.git.findIteration({ run_id, iter, above: found.session.head });
    if (commit !== null) return finishLogs(ports, found, { commit, deadlineMs });
  }
  const entry = found.phase === 'persisting' ? await withSettingsOfNow(ports, found) : found;
  const { branch, baseline } = entry;
  const { head, work_tree, refs } = await ports.git.settle({
    run_id,
    iter,
    branch,
    baseline,
    refs_before: null,
  });
  const workTree = work_tree ?? '';
  const control = entry.phase === 'persisting' ? entry.control : baseline;
  const ground = { ...(await groundAt(ports, entry, control)), refs };
  const session = { ...entry.session, dirty_submodules: await becameDirty(ports, entry) };
  const ended = await keepWork(ports, entry, { ...ground, session, workTree });
  if (head !== ended.session.head) return closeOnTop(ports, { entry, ended, head, deadlineMs, isSession });
  const budget = { deadlineMs, cutOffs: entry.phase === 'ended' ? 0 : entry.cut_offs };
  switch (entry.phase) {
    case 'guard':
      return afterCutOff(ports, ended, { deadlineMs, cutOffs: entry.cut_offs + 1 });
    case 'review':
      return reviewAgain(ports, ended, { entry, budget });
    case 'ended':
    case 'persisting':
      // A verdict is never taken from the journal: the guard runs again (§7).
      return conclude(ports, ended, budget);
  }
}

/** A commit that failed is tried again with the `git.*` settings in force now (§5), read before the files of `.runner/` are put back. */
async function withSettingsOfNow<T extends JournalEntry>(ports: Ports, entry: T): Promise<T> {
  const { git } = await ports.configs.load();
  return { ...entry, config: { ...entry.config, git } };
}

/** What a guard had changed when the crash came is kept as it was before. */
function keepWork(
  ports: Ports,
  entry: Extract<JournalEntry, { session: SessionFacts }>,
  ended: EndedSession,
): Promise<EndedSession> {
  switch (entry.phase) {
    case 'guard':
      return keepChange(ports, ended, { by: 'the guard', from: entry.work_tree });
    case 'persisting':
      return keepChange(ports, ended, { by: 'somebody', from: entry.work_tree });
    case 'ended':
    case 'review':
      return Promise.resolve(ended);
  }
}

/** The commit was made, so the logs follow it. */
async function finishLogs(
  ports: Ports,
  entry: Extract<JournalEntry, { phase: 'persisting' }>,
  { commit, deadlineMs }: { readonly commit: string; readonly deadlineMs: number },
): Promise<StepOutcome> {
  const { branch, session, guard, review, cut_offs: cutOffs, work_tree: workTree } = entry;
  await ports.git.finishCommit({ branch, commit });
  const ended = { ...(await groundAt(ports, entry, entry.control)), session, workTree };
  return conclude(ports, ended, { deadlineMs, cutOffs, guard, committed: { commit, review } });
}

/** The runner died while the agent was running: no accepted answer, the work is kept (§7). */
async function closeUndone(
  ports: Ports,
  entry: Extract<JournalEntry, { phase: 'agent' }>,
): Promise<StepOutcome> {
  const deadlineMs = limitTime(ports, entry);
  await ports.logs.reopen(entry);
  const ground = await groundAt(ports, entry, entry.baseline);
  const { run_id, iter, config } = entry;
  const reported = await ports.executor.salvage({ run_id, iter, config });
  const usage = addUsage(entry.spent ?? unknownUsage, reported.usage);
  const result = { ...undoneSession, ...reported, usage };
  const ended = await collect(ports, ground, { result, sessions: 1, waited_secs: 0, notes: [] });
  if (ended.session.head !== entry.baseline) {
    const message = `the commits after ${entry.baseline.slice(0, 8)} count as the session's; what they changed in .runner/ was put back`;
    ports.reporter.report({ type: 'note', message });
  }
  return conclude(ports, ended, { deadlineMs, cutOffs: 0 });
}

const undoneSession = {
  end: { kind: 'undone' },
  answer: { kind: 'missing' },
  exit_code: null,
  duration_ms: 0,
  leftovers: [],
} as const;

/**
 * Somebody committed on top: the session is not judged (§7). A person's tree is the new baseline; while guard or reviewer were
 * running it was the agents' code that may have committed, and B's tree stays.
 */
async function closeOnTop(
  ports: Ports,
  work: {
    readonly entry: Extract<JournalEntry, { session: SessionFacts }>;
    readonly ended: EndedSession;
    readonly head: string;
    readonly deadlineMs: number;
    readonly isSession: boolean;
  },
): Promise<StepOutcome> {
  const { entry, ended, head, deadlineMs } = work;
  const isPersons = !work.isSession && (await treeAt(ports, head)) !== null;
  const ground = await groundAt(ports, entry, isPersons ? head : entry.baseline);
  const session: SessionFacts = { ...ended.session, end: { kind: 'undone' }, head };
  const message = `somebody committed on ${entry.branch}; the session is not judged`;
  ports.reporter.report({ type: 'note', message });
  return conclude(ports, { ...ended, ...ground, refs: ended.refs, session }, { deadlineMs, cutOffs: 0 });
}

async function afterCutOff(ports: Ports, ended: EndedSession, budget: GuardBudget): Promise<StepOutcome> {
  if (budget.cutOffs < guardCutOffsMax) return conclude(ports, ended, budget);
  const guard: GuardRun = {
    end: { kind: 'cut_off' },
    exit_code: null,
    duration_ms: 0,
    output: '',
    log_sha256: null,
  };
  return conclude(ports, ended, { ...budget, guard });
}

/** The runner died during a review: what the reviewer had changed is taken back, then guard and reviewer are asked again. */
async function reviewAgain(
  ports: Ports,
  ended: EndedSession,
  work: { readonly entry: Extract<JournalEntry, { phase: 'review' }>; readonly budget: GuardBudget },
): Promise<StepOutcome> {
  const { entry, budget } = work;
  const { run_id, iter } = entry;
  const config = reviewConfig(entry.config) ?? entry.config;
  const { usage } = await ports.executor.salvage({ role: 'review', run_id, iter, config });
  const notes = await takeBack(ports, ended, { wholeTree: entry.whole_tree, isAfterCrash: true });
  await ports.logs.keepSession('review');
  const session = { ...ended.session, notes: [...ended.session.notes, ...notes] };
  const reviewSpent = addUsage(entry.spent ?? unknownUsage, usage);
  const workTree = await ports.git.workTreeId();
  return conclude(ports, { ...ended, session, workTree }, { ...budget, reviewSpent });
}
