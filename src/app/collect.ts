/**
 * After a session: puts git, the runner's files and protected files back in order, then reads what the agent left (§2, §5.5).
 * Every step is idempotent, so recovery runs the same code. It judges nothing.
 */
import { protectedMatches } from '../core/iteration/classifier.ts';
import { assert } from '../core/errors.ts';
import type { SessionEnd, SessionFacts, SessionResult } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { Ground } from './iteration.ts';

/** The facts of the last session, with what the iteration's earlier ones added to them. */
export interface CollectRequest {
  readonly result: SessionResult<SessionEnd>;
  readonly sessions: number;
  readonly waited_secs: number;
  /** What was put in order after earlier sessions of the iteration. */
  readonly notes?: readonly string[];
}

export interface Collected {
  readonly session: SessionFacts;
  /** Tree id of the work as the session left it. */
  readonly workTree: string;
}

export async function collect(ports: Ports, ground: Ground, request: CollectRequest): Promise<Collected> {
  const { result, sessions, waited_secs } = request;
  const { journal } = ground;
  const { run_id, iter } = journal;
  const kept = await ports.lock.keep();
  let begun: Promise<OwnFiles> | null = null;
  const own = (): Promise<OwnFiles> => (begun ??= restoreOwn(ports, ground));
  const settled = await ports.git.settle({
    run_id,
    iter,
    branch: journal.branch,
    baseline: journal.baseline,
    meanwhile: own,
  });
  assert(settled.work_tree !== null, 'the work is looked at when a session is put in order');
  const { paths: protected_paths, workTree } = await restoreProtected(ports, ground, settled.work_tree);
  const { restored, agent_tree } = await own();
  const dirty_submodules = await ports.git.dirtySubmodules();
  const known = request.notes ?? [];
  const notes = [
    ...kept,
    ...settled.notes,
    ...restored.map((path) => `put back .runner/${path}`),
    ...protected_paths.map((path) => `put back protected file ${path}`),
    ...result.leftovers.map((process) => `ended a process the session left behind: ${process}`),
    ...result.denials.map((what) => `the agent was refused: ${what}`),
  ].filter((note) => !known.includes(note));
  for (const message of notes) ports.reporter.report({ type: 'note', message });
  const session = {
    ...result,
    sessions,
    waited_secs,
    head: settled.head,
    notes: [...known, ...notes],
    protected_paths,
    dirty_submodules: dirty_submodules.filter((path) => !journal.dirty_submodules_before.includes(path)),
    agent_tree,
  };
  return { session, workTree };
}

interface OwnFiles {
  readonly restored: readonly string[];
  readonly agent_tree: SessionFacts['agent_tree'];
}

/** What lies below `.runner/`: the runner's part as before, the agent's tree as it left it. */
async function restoreOwn(ports: Ports, { journal, commit }: Ground): Promise<OwnFiles> {
  const { run_id, iter } = journal;
  const restored = await ports.controlFiles.restore({ commit, run_id, iter });
  await ports.logs.keepAgentTree();
  return { restored, agent_tree: await ports.trees.read() };
}

/** §9 `guard.protect`: what existed when the run began is put back; files the run created are free. */
async function restoreProtected(
  ports: Ports,
  ground: Ground,
  now: string,
): Promise<{ readonly paths: readonly string[]; readonly workTree: string }> {
  const { journal } = ground;
  const globs = journal.config.guard.protect;
  if (globs.length === 0) return { paths: [], workTree: now };
  const paths = protectedMatches({
    paths: await ports.git.changedPaths({
      from: journal.baseline_tree,
      to: now,
      origin: { baseline: journal.baseline, committed: null },
    }),
    globs,
    existing: await ports.git.bootstrapPaths(journal.run_id),
    prefix: journal.prefix,
  });
  if (paths.length === 0) return { paths, workTree: now };
  await ports.controlFiles.keep({ run_id: journal.run_id, iter: journal.iter, paths });
  await ports.git.restorePaths({ commit: journal.baseline, paths });
  return { paths, workTree: await ports.git.workTreeId() };
}
