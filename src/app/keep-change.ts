/**
 * A guard or a hook may change the work before it is committed. The agent's version is then kept as a commit under rescue
 * (§1.4), not in the log: a command that cleans the work tree removes the log, too.
 */
import { listPaths } from '../core/text/path-list.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession } from './iteration.ts';

export interface Change {
  readonly by: 'the guard' | 'a hook' | 'somebody';
  /** Tree id of the work before; now it is the session's `workTree`. */
  readonly from: string;
}

/** Contract: comes before the journal's next entry, which no longer knows what the work was. The session with a note, already told. */
export async function keepChange(ports: Ports, ended: EndedSession, change: Change): Promise<EndedSession> {
  const { by, from } = change;
  if (from === ended.workTree) return ended;
  // If a guard has pruned it, hold included, stopping would bring nothing back.
  const message = (await ports.git.isWhole(from))
    ? await keep(ports, ended, change)
    : `${by} changed files, and their earlier content could not be kept: git no longer has it`;
  ports.reporter.report({ type: 'note', message });
  const { session } = ended;
  return { ...ended, session: { ...session, notes: [...session.notes, message] } };
}

async function keep(ports: Ports, ended: EndedSession, { by, from }: Change): Promise<string> {
  const { run_id, iter } = ended.journal;
  const paths = await ports.git.changedPaths({ from, to: ended.workTree });
  const ref = await ports.git.rescueWork({ run_id, iter, parent: ended.session.head, workTree: from });
  return `${by} changed ${listPaths(paths)}: what it was before is kept as ${ref}`;
}
