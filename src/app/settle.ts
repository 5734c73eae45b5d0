/** Puts git and the runner's files in order after a program of the agent or of the project ran. Can be done again; it judges nothing. */
import { assert } from '../core/errors.ts';
import type { Settled } from '../ports/git.ts';
import type { Ports } from '../ports/ports.ts';
import type { Ground } from './iteration.ts';

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
