/**
 * After a session: puts git, the runner's files and protected files back in order, then reads what the agent left (§2, §5.5).
 * Every step is idempotent, so recovery runs the same code. It judges nothing.
 */
import type { SessionEnd, SessionResult } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, Ground } from './iteration.ts';
import { putReferencesBack } from './references.ts';
import { settleWork } from './settle.ts';

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
