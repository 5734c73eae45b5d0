/**
 * Finishes or undoes an iteration that a crash left open, by rule (§7): the journal says how far it came, and it is judged on B
 * and the journal. Ends the dead session's processes before anything else is touched.
 */
import type { GuardRun, JournalEntry, SessionFacts } from '../core/agents/session.ts';
import { addUsage, unknownUsage } from '../core/agents/usage.ts';
import { RunnerError } from '../core/errors.ts';
import { baseOf } from '../core/iteration/journal-text.ts';
import { parseLastRecord } from '../core/iteration/last-file.ts';
import { reviewConfig } from '../core/iteration/review.ts';
import { guardCutOffsMax } from '../core/limits.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import type { TreeNode } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import { undoBaseline } from './baseline.ts';
import { collect } from './collect.ts';
import type { EndedSession, Ground, GuardBudget, StepOutcome } from './iteration.ts';
import { keepChange } from './keep-change.ts';
import { takeBack } from './review.ts';
import { conclude } from './step.ts';

/** Contract: the lock is held. Null: there was nothing to recover, or nothing worth a record. */
export async function recover(ports: Ports): Promise<StepOutcome | null> {
  await ports.workspace.sweep();
  const entry = await ports.journal.load();
  if (entry === null) return null;
  if (entry.kind === 'start') {
    await finishStart(ports, entry);
    return null;
  }
  if (entry.kind === 'baseline') {
    await ports.sweeper.end(entry.cookie);
    await ports.git.remember();
    await requireSameProject(ports, { ...entry, what: 'the start', command: 'start' });
    await undoBaseline(ports, entry);
    return null;
  }
  const { run_id, iter, phase } = entry;
  ports.reporter.report({ type: 'recovering', run_id, iter, phase });
  await ports.sweeper.end(entry.cookie);
  await ports.git.remember();
  await requireSameProject(ports, { ...entry, what: `iteration ${iter}`, command: 'step' });
  const where = await locateBranch(ports, entry);
  if (where === 'gone') return rescue(ports, entry);
  const outcome = await finish(ports, entry);
  if (outcome.kind === 'recorded') {
    const { status, guard } = outcome.record;
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

async function close(ports: Ports, entry: JournalEntry, message: string): Promise<null> {
  await ports.journal.close();
  ports.reporter.report({ type: 'recovered', run_id: entry.run_id, iter: entry.iter, message });
  return null;
}

async function requireSameProject(
  ports: Ports,
  entry: {
    readonly run_id: string;
    readonly prefix: string;
    readonly what: string;
    readonly command: string;
  },
): Promise<void> {
  const { prefix } = await ports.git.locate();
  if (prefix === entry.prefix) return;
  const folder = entry.prefix === '' ? 'the top of the work tree' : `the folder '${entry.prefix}'`;
  throw new RunnerError({
    code: 'RUN_UNFINISHED',
    message: `${entry.what} of run ${entry.run_id} in ${folder} is unfinished`,
    hint: `runner ${entry.command} -C "$(git rev-parse --show-toplevel)/${entry.prefix}"`,
  });
}

/** `gone`: B is no longer part of the run's branch. Throws when another branch is checked out: only the person may switch back (§7). */
async function locateBranch(ports: Ports, entry: JournalEntry): Promise<'here' | 'gone'> {
  const { head, branch, dirty } = await ports.git.snapshot();
  const holdsBaseline =
    head !== null && (await ports.git.isAncestor({ ancestor: entry.baseline, descendant: head }));
  if (branch === entry.branch) return holdsBaseline ? 'here' : 'gone';
  // A session may have left the branch itself; what it built on B is put back on the branch as after any session.
  if (entry.phase === 'agent' && holdsBaseline) return 'here';
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `iteration ${entry.iter} of run ${entry.run_id} is unfinished, but ${branch === null ? 'HEAD is detached' : `'${branch}' is checked out`}`,
    // Elsewhere a stash would take the agent's work out of the iteration; what a review began with is in the journal.
    hint: `${entry.phase === 'review' && dirty.length > 0 ? 'git stash -u && ' : ''}git switch ${entry.branch}`,
  });
}

async function rescue(ports: Ports, entry: JournalEntry): Promise<null> {
  const { run_id, iter, baseline } = entry;
  const ref = await ports.git.rescueWork({ run_id, iter, parent: baseline });
  await ports.git.releaseWork(run_id);
  return close(ports, entry, `its start is no longer part of ${entry.branch}; the work is saved as ${ref}`);
}

async function finish(ports: Ports, found: JournalEntry): Promise<StepOutcome> {
  const { run_id, iter, config } = found;
  const deadlineMs = ports.clock.monotonicMs() + config.iteration_timeout_secs * 1000;
  ports.git.limitCalls(config.iteration_timeout_secs * 1000);
  await ports.logs.reopen({ run_id, iter });
  if (!('session' in found)) return closeUndone(ports, found, deadlineMs);
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
  const ended = await keepWork(ports, entry, { ...ground, session: entry.session, workTree });
  if (head !== ended.session.head) return closeOnTop(ports, { entry, ended, head, deadlineMs });
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
  deadlineMs: number,
): Promise<StepOutcome> {
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

async function groundAt(ports: Ports, entry: JournalEntry, commit: string): Promise<Ground> {
  const last = await ports.git.loadText({ commit, path: `.runner/nodes/${entry.node_id}/last.json` });
  const before = await treeAt(ports, commit);
  if (before === null) {
    throw new RunnerError({
      code: 'TREE_INVALID',
      message: `commit ${commit} holds no valid .runner/state/tree.json, so iteration ${entry.iter} cannot be finished`,
      hint: `git log --oneline -- .runner/state/tree.json`,
    });
  }
  return {
    journal: baseOf(entry),
    commit,
    before,
    last: last.kind === 'text' ? parseLastRecord(last.text) : null,
    refs: null,
    recovered: true,
  };
}

async function treeAt(ports: Ports, commit: string): Promise<TreeNode | null> {
  const parsed = parseTree(await ports.git.loadText({ commit, path: '.runner/state/tree.json' }));
  return parsed.ok ? parsed.tree : null;
}

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
  },
): Promise<StepOutcome> {
  const { entry, ended, head, deadlineMs } = work;
  const isOurs = entry.phase === 'guard' || entry.phase === 'review';
  const isPersons = !isOurs && (await treeAt(ports, head)) !== null;
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
