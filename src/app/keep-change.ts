/**
 * A guard or a hook may change the work before it is committed. What the agent had made of it is kept then, as a commit under rescue
 * (§1.4). Not in the log: what cleans a work tree cleans that away, too.
 */
import { listPaths } from '../core/text/path-list.ts';
import type { SessionFacts } from '../core/agents/session.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession } from './iteration.ts';

export interface Change {
  readonly by: 'guard' | 'hook';
  /** Tree ids of the work before and after. */
  readonly from: string;
  readonly to: string;
}

/** Contract: comes before the journal's next entry, which no longer knows what the work was. The session with a note, already told. */
export async function keepChange(
  ports: Ports,
  ended: Pick<EndedSession, 'journal' | 'session'>,
  change: Change,
): Promise<SessionFacts> {
  const { session } = ended;
  const { by, from, to } = change;
  if (from === to) return session;
  // To stop for what the same guard has pruned away would bring nothing back.
  const message = (await ports.git.isWhole(from))
    ? await keep(ports, ended, change)
    : `the ${by} changed files, and what they were could not be kept: git no longer has it`;
  ports.reporter.report({ type: 'note', message });
  return { ...session, notes: [...session.notes, message] };
}

async function keep(
  ports: Ports,
  { journal, session }: Pick<EndedSession, 'journal' | 'session'>,
  { by, from, to }: Change,
): Promise<string> {
  const { run_id, iter } = journal;
  const paths = await ports.git.changedPaths({ from, to });
  const ref = await ports.git.rescueWork({ run_id, iter, parent: session.head, workTree: from });
  return `the ${by} changed ${listPaths(paths)}: what it was before is kept as ${ref}`;
}
