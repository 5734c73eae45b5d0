/**
 * After a session: puts git, the runner's files and protected files back in order, then reads what the agent left (§2, §5.5).
 * Every step is idempotent, so recovery runs the same code. It judges nothing.
 */
import type { SessionEnd, SessionResult } from '../core/agents/session.ts';
import { assert } from '../core/errors.ts';
import type { Settled } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, Ground } from './iteration.ts';
import { putReferencesBack } from './references.ts';

/** The facts of the last session, with what the iteration's earlier ones added to them. */
export interface SessionSum {
  readonly result: SessionResult<SessionEnd>;
  readonly sessions: number;
  readonly waited_secs: number;
  /** What was put in order after earlier sessions of the iteration. */
  readonly notes: readonly string[];
}

export async function collect(ports: Ports, ground: Ground, sum: SessionSum): Promise<EndedSession> {
  const { result, sessions, waited_secs } = sum;
  const { journal } = ground;
  const settled = await settleWork(ports, ground);
  const protected_paths = await putReferencesBack(ports, ground, settled.workTree);
  const workTree = protected_paths.length === 0 ? settled.workTree : await ports.git.workTreeId();
  await ports.logs.keepAgentTree();
  const agent_tree = await ports.trees.loadSource();
  const dirty_submodules = await ports.git.dirtySubmodules();
  const notes = [
    ...settled.notes,
    ...settled.restored.map((path) => `put back .runner/${path}`),
    ...protected_paths.map((path) => `put back protected file ${path}`),
    ...result.leftovers.map((process) => `ended a process the session left behind: ${process}`),
    ...result.denials.map((what) => `the agent was refused: ${what}`),
  ].filter((note) => !sum.notes.includes(note));
  for (const message of notes) ports.reporter.report({ type: 'note', message });
  const session = {
    ...result,
    sessions,
    waited_secs,
    head: settled.head,
    notes: [...sum.notes, ...notes],
    protected_paths,
    dirty_submodules: dirty_submodules.filter((path) => !journal.dirty_submodules_before.includes(path)),
    agent_tree,
  };
  return { ...ground, session, workTree, refs: settled.refs };
}

export interface SettledWork extends Pick<Settled, 'head' | 'notes' | 'refs'> {
  readonly workTree: string;
  /** Files of `.runner/` that were put back. */
  readonly restored: readonly string[];
}

/** Puts lock, git and the runner's own files in order: after the agent, and after the guard, which runs the agent's code. */
export async function settleWork(ports: Ports, ground: Ground): Promise<SettledWork> {
  const { run_id, iter, branch, baseline } = ground.journal;
  // First: the lock's own folder may be a link that leads elsewhere.
  const settled = await ports.git.settle({ run_id, iter, branch, baseline, refs_before: ground.refs });
  const kept = await ports.lock.keep();
  assert(settled.work_tree !== null, 'the work is looked at when it is put in order');
  const restored = await ports.controlFiles.restore({ commit: ground.commit, run_id, iter });
  const { head, refs, work_tree: workTree } = settled;
  return { head, refs, workTree, restored, notes: [...kept, ...settled.notes] };
}
