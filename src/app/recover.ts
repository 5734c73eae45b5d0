/**
 * Finishes or undoes an iteration that a crash left open, by rule (§7): the journal says how far it came, B and the journal say what
 * it is judged on. Ends the dead session's processes before anything else is touched.
 */
import { RunnerError } from '../core/errors.ts';
import { guardCutOffsMax } from '../core/limits.ts';
import type { GuardRun, JournalEntry, SessionFacts, SessionResult } from '../core/session.ts';
import { parseLastRecord } from '../core/last-file.ts';
import { parseTree } from '../core/tree-schema.ts';
import type { TreeNode } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import { collect } from './collect.ts';
import { conclude, concludeWithVerdict } from './conclude.ts';
import type { EndedSession, Ground, StepOutcome } from './iteration.ts';

/** Contract: the lock is held. Null: there was nothing to recover, or nothing worth a record. */
export async function recover(ports: Ports): Promise<StepOutcome | null> {
  const entry = await ports.journal.load();
  if (entry === null) return null;
  if (entry.kind === 'start') {
    await ports.git.finishStart({ branch: entry.branch, commit: entry.commit });
    await ports.journal.close();
    return null;
  }
  const { run_id, iter, phase } = entry;
  ports.reporter.report({ type: 'recovering', run_id, iter, phase });
  await ports.sweeper.end(entry.cookie);
  await requireSameProject(ports, entry);
  if (phase === 'prepared') return close(ports, entry, 'the agent had not started; nothing to keep');
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

async function close(ports: Ports, entry: JournalEntry, message: string): Promise<null> {
  await ports.journal.close();
  ports.reporter.report({ type: 'recovered', run_id: entry.run_id, iter: entry.iter, message });
  return null;
}

async function requireSameProject(ports: Ports, entry: JournalEntry): Promise<void> {
  const { prefix } = await ports.git.locate();
  if (prefix === entry.prefix) return;
  const folder = entry.prefix === '' ? 'the top of the work tree' : `the folder '${entry.prefix}'`;
  throw new RunnerError({
    code: 'RUN_UNFINISHED',
    message: `iteration ${entry.iter} of run ${entry.run_id} in ${folder} is unfinished`,
    hint: `runner step -C "$(git rev-parse --show-toplevel)/${entry.prefix}"`,
  });
}

/** `gone`: B is no longer part of the run's branch. Another branch is the person's choice, and theirs to undo (§7). */
async function locateBranch(ports: Ports, entry: JournalEntry): Promise<'here' | 'gone'> {
  const { head, branch } = await ports.git.snapshot();
  const holdsBaseline =
    head !== null && (await ports.git.isAncestor({ ancestor: entry.baseline, descendant: head }));
  if (branch === entry.branch) return holdsBaseline ? 'here' : 'gone';
  // A session may have left the branch itself; what it built on B is put back on the branch as after any session.
  if (entry.phase === 'agent' && holdsBaseline) return 'here';
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `iteration ${entry.iter} of run ${entry.run_id} is unfinished, but ${branch === null ? 'HEAD is detached' : `'${branch}' is checked out`}`,
    hint: `git switch ${entry.branch}`,
  });
}

async function rescue(ports: Ports, entry: JournalEntry): Promise<null> {
  const { run_id, iter, baseline } = entry;
  const ref = await ports.git.rescueWork({ run_id, iter, parent: baseline });
  return close(ports, entry, `its start is no longer part of ${entry.branch}; the work is saved as ${ref}`);
}

async function finish(ports: Ports, entry: JournalEntry): Promise<StepOutcome> {
  const budget = {
    deadlineMs: ports.clock.monotonicMs() + entry.config.iteration_timeout_secs * 1000,
    cutOffs: 0,
  };
  await ports.logs.reopen({ run_id: entry.run_id, iter: entry.iter });
  if (!('session' in entry)) {
    const ground = await groundAt(ports, entry, entry.baseline);
    const session = await collect(ports, ground, undoneSession);
    return conclude(ports, { ...ground, session }, budget);
  }
  const committed = await ports.git.findIteration(entry);
  const head = (await ports.git.snapshot()).head ?? entry.baseline;
  if (committed === null && head !== entry.session.head) return closeOnTop(ports, { entry, head, budget });
  if (committed === null) await ports.git.settle(entry);
  const ended = { ...(await groundAt(ports, entry, entry.baseline)), session: entry.session };
  switch (entry.phase) {
    case 'ended':
      return conclude(ports, ended, budget);
    case 'guard':
      return afterCutOff(ports, ended, { ...budget, cutOffs: entry.cut_offs + 1 });
    case 'verdict':
    case 'persisting':
      return withVerdict(ports, { ended, entry, committed, budget });
  }
}

const undoneSession: SessionResult = {
  end: { kind: 'undone' },
  answer: { kind: 'missing' },
  exit_code: null,
  duration_ms: 0,
  leftovers: [],
};

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
    journal: entry,
    commit,
    before,
    last: last.kind === 'text' ? parseLastRecord(last.text) : null,
    recovered: true,
  };
}

async function treeAt(ports: Ports, commit: string): Promise<TreeNode | null> {
  const parsed = parseTree(await ports.git.loadText({ commit, path: '.runner/state/tree.json' }));
  return parsed.ok ? parsed.tree : null;
}

/** A person committed on top of B: their tree is the new baseline and the session is not judged (§7). */
async function closeOnTop(
  ports: Ports,
  work: {
    readonly entry: Extract<JournalEntry, { session: SessionFacts }>;
    readonly head: string;
    readonly budget: { readonly deadlineMs: number; readonly cutOffs: number };
  },
): Promise<StepOutcome> {
  const { entry, head } = work;
  const commit = (await treeAt(ports, head)) === null ? entry.baseline : head;
  const ground = await groundAt(ports, entry, commit);
  const session: SessionFacts = { ...entry.session, ...undoneSession, head };
  ports.reporter.report({
    type: 'note',
    message: `somebody committed on ${entry.branch}; the session is not judged`,
  });
  return conclude(ports, { ...ground, session }, work.budget);
}

async function afterCutOff(
  ports: Ports,
  ended: EndedSession,
  budget: { readonly deadlineMs: number; readonly cutOffs: number },
): Promise<StepOutcome> {
  if (budget.cutOffs < guardCutOffsMax) return conclude(ports, ended, budget);
  const guard: GuardRun = {
    end: { kind: 'cut_off' },
    exit_code: null,
    duration_ms: 0,
    output: '',
    log_sha256: null,
  };
  const workTree = await ports.git.workTreeId();
  return concludeWithVerdict(ports, ended, {
    checked: { guard, workTree },
    cutOffs: budget.cutOffs,
    hookOutput: null,
    committed: null,
    git: null,
  });
}

/** A verdict is used only for the bytes it was given; other bytes are checked again (§7). */
async function withVerdict(
  ports: Ports,
  work: {
    readonly ended: EndedSession;
    readonly entry: Extract<JournalEntry, { phase: 'verdict' | 'persisting' }>;
    readonly committed: string | null;
    readonly budget: { readonly deadlineMs: number; readonly cutOffs: number };
  },
): Promise<StepOutcome> {
  const { ended, entry, committed } = work;
  const { guard, cut_offs: cutOffs, hook_output: hookOutput } = entry;
  // Read before anything is put back: since the commit failed a person may have changed them (§5).
  const git = entry.phase === 'persisting' ? (await ports.configs.load()).git : null;
  const known = { cutOffs, hookOutput, committed, git };
  if (committed !== null) {
    await ports.git.finishCommit({ branch: entry.branch, commit: committed });
    return concludeWithVerdict(ports, ended, { checked: { guard, workTree: entry.work_tree }, ...known });
  }
  const workTree = await ports.git.workTreeId();
  if (guard?.end.kind === 'passed' && hookOutput === null && workTree !== entry.work_tree) {
    return conclude(ports, ended, { ...work.budget, cutOffs });
  }
  return concludeWithVerdict(ports, ended, { checked: { guard, workTree }, ...known });
}
