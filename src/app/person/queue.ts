/**
 * Changes of the tree that a person makes while a loop is at work (§12). They wait in the git folder and become commits of their own
 * before the next iteration. One that no longer applies is kept and told, and never stops the loop.
 */
import { RunnerError } from '../../core/errors.ts';
import { entryTrailer } from '../../core/runs/person-message.ts';
import { describeEdit } from '../../core/runs/queue-entry.ts';
import type { QueueEntry } from '../../core/runs/queue-entry.ts';
import type { TreeEdit } from '../../core/tree/tree-edit.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { TreeNode } from '../../core/types.ts';
import type { GitPort } from '../../ports/git.ts';
import type { LockHolder } from '../../ports/sessions.ts';
import type { EditQueue, Queued } from '../../ports/steer.ts';
import { requireRepository } from './commit.ts';
import { changeTree, commitEdit, openTree, planEditOf, treePath } from './tree.ts';
import type { OpenTree, TreeChange, TreePorts } from './tree.ts';

export interface QueuePorts extends TreePorts {
  readonly queue: EditQueue;
  readonly note: (message: string) => void;
}

/** Contract: the lock is held, nothing is left to recover. The checks that follow report what makes every commit impossible. */
export async function applyQueue(ports: QueuePorts): Promise<void> {
  const queued = await ports.queue.list();
  if (queued.length === 0) return;
  const { git } = requireRepository(ports);
  // A session may have been at work in another work tree of the repository (§14).
  await git.remember();
  for (const one of queued) {
    const open = await openTree(ports).catch((error: unknown) => {
      if (error instanceof RunnerError) return null;
      throw error;
    });
    if (open === null) return;
    ports.note(await applyOne(ports, open, one));
  }
}

/** What became of it, for people. */
async function applyOne(ports: QueuePorts, open: OpenTree, queued: Queued): Promise<string> {
  if ('problem' in queued) {
    await ports.queue.remove(queued);
    return `a change in the queue was no change that runner wrote, and was moved aside: ${queued.problem}`;
  }
  const { entry } = queued;
  const what = `queued change (${describeEdit(entry.edit)})`;
  const { base_commit: base } = await ports.runStates.load();
  if (await open.place.git.hasMessageLine({ line: entryTrailer(entry.id), base })) {
    await ports.queue.remove(queued);
    return `${what} is on the branch already`;
  }
  const reason = await refusalOf(ports, open, entry);
  await (reason === null ? ports.queue.remove(queued) : ports.queue.remove(queued, reason));
  return reason === null ? `${what} applied` : `${what} does not apply any more: ${reason}`;
}

async function refusalOf(ports: QueuePorts, open: OpenTree, entry: QueueEntry): Promise<string | null> {
  const { run_id } = open.place;
  if (entry.run_id !== run_id) return `it was meant for run ${entry.run_id}`;
  const done = await commitEdit(ports, open, { edit: entry.edit, entryId: entry.id });
  return done.ok ? null : done.message;
}

export interface LockedPorts extends QueuePorts {
  /** Contract: the work runs under the lock, which is given back whatever happens. */
  withLock<T>(command: string, work: () => Promise<T>): Promise<T>;
  /** Contract: the command of the loop or step that is at work here; null: none. */
  loopAtWork(): Promise<LockHolder | null>;
}

export interface Queuing {
  readonly kind: 'queued';
  readonly entry: QueueEntry;
}

export type Steered = ({ readonly kind: 'changed' } & TreeChange) | Queuing;

/** At once, or, while a loop is at work, before its next iteration. */
export async function steer(
  ports: LockedPorts,
  { command, edit }: { readonly command: string; readonly edit: TreeEdit },
): Promise<Steered> {
  try {
    return await ports.withLock(command, async () => {
      // What waits was asked for earlier.
      await applyQueue(ports);
      return { kind: 'changed', ...(await changeTree(ports, edit)) };
    });
  } catch (error) {
    const isHeld = error instanceof RunnerError && error.code === 'LOCKED';
    if (!isHeld || (await ports.loopAtWork()) === null) throw error;
  }
  return queueForLoop(ports, { command, edit });
}

/** Contract: a loop was at work. It may have ended meanwhile: then nobody would come for the entry, and it is applied here. */
export async function queueForLoop(
  ports: LockedPorts,
  { command, edit }: { readonly command: string; readonly edit: TreeEdit },
): Promise<Queuing> {
  const entry = await queueEdit(ports, edit);
  if ((await ports.loopAtWork()) === null) await ports.withLock(command, () => applyQueue(ports));
  return { kind: 'queued', entry };
}

/**
 * Contract: a loop is at work, so nothing is written but the entry. Throws the refusal of a change that does not apply to the last
 * commit with what waits before it.
 */
async function queueEdit(ports: QueuePorts, edit: TreeEdit): Promise<QueueEntry> {
  const { git } = requireRepository(ports);
  const branch = (await git.headBranch()) ?? '';
  let tree = await loadCommitted(git);
  for (const queued of await ports.queue.list()) {
    const plan = 'entry' in queued ? await planEditOf(ports, tree, queued.entry.edit) : null;
    if (plan?.ok === true) ({ tree } = plan);
  }
  const plan = await planEditOf(ports, tree, edit);
  if (!plan.ok) throw new RunnerError(plan);
  return ports.queue.add({ run_id: branch.replace(/^runner\//u, ''), edit });
}

/** While a session is open the files on disk are the session's. */
export async function loadCommitted(git: Pick<GitPort, 'loadText'>): Promise<TreeNode> {
  const parsed = parseTree(await git.loadText({ commit: 'HEAD', path: `.runner/${treePath}` }));
  if (parsed.ok) return parsed.tree;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: 'the tree of the last commit is not valid',
    details: parsed.violations.map(({ path, message }) => `${path}: ${message}`),
    hint: 'runner validate',
  });
}
