/**
 * Holds a green guard against the guard's own files as they were (§14): the references are laid over the work, the guard runs once
 * more, and the work is put back. What is committed is always the work, never the references.
 */
import type { GuardRun, JournalBase, JournalEntry } from '../core/agents/session.ts';
import { laidFiles, withRatchet } from '../core/guard/ratchet.ts';
import type { Ratchet } from '../core/types.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession, GuardedWork } from './iteration.ts';
import { findChanged, loadPassed, loadReferences, referencesOf } from './references.ts';
import { settleWork } from './settle.ts';

/** Contract: the guard was green in place on exactly this work. Comes back with the same work, and with a fail when the ratchet holds. */
export async function checkRatchet(ports: Ports, placed: GuardedWork, cutOffs: number): Promise<GuardedWork> {
  const { guard } = placed;
  const { journal, workTree } = placed.ended;
  if (journal.config.guard.policy !== 'ratchet') return placed;
  const references = await referencesOf(ports, placed.ended);
  const changed = await findChanged(ports, references, workTree);
  const ended = { ...placed.ended, references, changed };
  if (changed.paths.length === 0) return { ended, guard };
  const tree = await ports.git.makeLaidTree({ tree: workTree, files: laidFiles(changed) });
  if (tree === null) {
    const reason = `git no longer has the check's files as they were before: ${changed.paths.join(', ')}; a person's commit of them sets new ones`;
    return { ended, guard: { ...guard, end: { kind: 'failed', reason, by: 'ratchet' }, output: '' } };
  }
  const { session } = ended;
  const entry = { ...journal, phase: 'guard', session, work_tree: workTree, check: 'ratchet' } as const;
  await ports.journal.save({ ...entry, cut_offs: cutOffs });
  const message = `the check's files changed (${changed.paths.join(', ')}): it runs once more with them as they were before`;
  ports.reporter.report({ type: 'note', message });
  // An ignored file where a reference belongs is in no tree.
  await ports.controlFiles.keep({
    ...journal,
    paths: changed.paths.filter((path) => !changed.present.has(path)),
  });
  await ports.git.restorePaths({ commit: tree, paths: changed.paths });
  const run = await runGuard(ports, journal);
  const after = await takeBack(ports, ended, { laid: tree, paths: changed.paths });
  const duration_ms = guard.duration_ms + run.duration_ms;
  return { ended: after, guard: { ...withRatchet(guard, run, changed.paths), duration_ms } };
}

/** With a limit of its own (§14). */
async function runGuard(ports: Ports, journal: JournalBase): Promise<GuardRun> {
  const { run_id, iter, node_id, cookie, config } = journal;
  const limitSecs = config.guard.timeout_secs ?? config.iteration_timeout_secs;
  ports.reporter.report({ type: 'phase', phase: 'guard' });
  return ports.guards.run({
    run_id,
    iter,
    node_id,
    cookie,
    deadlineMs: ports.clock.monotonicMs() + limitSecs * 1000,
    config,
    log: 'guard.ratchet.log',
    onActivity: ({ line }) => ports.reporter.report({ type: 'activity', source: 'guard', line }),
  });
}

/** Everything as it was before the references were laid over it; what the guard changed besides is kept under rescue. */
async function takeBack(
  ports: Ports,
  ended: EndedSession,
  { laid, paths: over }: { readonly laid: string; readonly paths: readonly string[] },
): Promise<EndedSession> {
  const { journal, session, workTree } = ended;
  const settled = await settleWork(ports, ended);
  const notes = [...settled.notes];
  if (settled.workTree !== laid) {
    const { run_id, iter } = journal;
    const paths = await ports.git.changedPaths({ from: laid, to: settled.workTree });
    const ref = await ports.git.rescueWork({
      run_id,
      iter,
      parent: settled.head,
      workTree: settled.workTree,
    });
    notes.push(`took back what the guard changed in its second run (kept as ${ref}): ${paths.join(', ')}`);
  }
  const paths = await ports.git.changedPaths({ from: workTree, to: settled.workTree });
  await ports.git.restorePaths({ commit: workTree, paths: [...new Set([...paths, ...over])] });
  for (const message of notes) ports.reporter.report({ type: 'note', message });
  const after = { ...session, head: settled.head, notes: [...session.notes, ...notes] };
  return { ...ended, refs: settled.refs, session: after, workTree: await ports.git.workTreeId() };
}

/**
 * After a crash while the references were laid over the work: the work's own files come back, so that neither they are lost nor the
 * references committed. What is there now, a person's edit perhaps, is kept in the log. Can be done again.
 */
export async function undoRatchet(ports: Ports, entry: JournalEntry): Promise<void> {
  if (entry.phase !== 'guard' || entry.check !== 'ratchet') return;
  const { run_id, iter, work_tree } = entry;
  const references = await loadReferences(ports, { journal: entry, own: null });
  const { paths } = await findChanged(ports, references, work_tree);
  await ports.logs.reopen({ run_id, iter });
  await ports.controlFiles.keep({ run_id, iter, paths });
  await ports.git.restorePaths({ commit: work_tree, paths });
}

export interface RatchetFacts {
  /** For the run state: as a pass leaves them, else as they were. */
  readonly references: Ratchet;
  /** The guard's own files that this work has in another version. */
  readonly changed: readonly string[];
}

/** `tree`: the work, or its commit. */
export async function loadRatchetFacts(
  ports: Ports,
  ended: EndedSession,
  { tree, passed }: { readonly tree: string; readonly passed: boolean },
): Promise<RatchetFacts> {
  const { journal } = ended;
  const before = await referencesOf(ports, ended);
  const found = ended.changed?.tree === tree ? ended.changed : await findChanged(ports, before, tree);
  // What is put back after every session is never taken from one.
  const moves = passed && journal.config.guard.policy !== 'protect';
  return { changed: found.paths, references: moves ? await loadPassed(ports, journal, found) : before };
}
