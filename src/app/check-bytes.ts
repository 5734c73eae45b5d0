/** A green guard counts only for bytes that a checkout of the commit has, too (§14). Asks git; changes nothing. */
import type { GuardEnd } from '../core/agents/session.ts';
import { listPaths } from '../core/text/path-list.ts';
import type { Ports } from '../ports/ports.ts';
import type { EndedSession } from './iteration.ts';

/** Null: a checkout has the bytes the guard saw, or had others before this work as well. */
export async function checkBytes(
  ports: Ports,
  { journal, workTree }: EndedSession,
): Promise<Extract<GuardEnd, { kind: 'failed' }> | null> {
  const paths = await ports.git.listOtherBytes({ from: journal.baseline, to: workTree });
  if (paths.length === 0) return null;
  const reason = `the check is green, but with the changed .gitattributes a checkout of this work has other bytes than it saw: ${listPaths(paths)}`;
  return { kind: 'failed', reason, by: 'bytes' };
}
