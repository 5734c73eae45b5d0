/**
 * A person's changes while a loop is at work (§12). They wait in the git folder and become commits of their own before the next
 * iteration. One that no longer applies is kept and told, and never stops the loop.
 */
import { RunnerError } from '../../core/errors.ts';
import { entryTrailer } from '../../core/runs/person-message.ts';
import { describeChange, isTreeEdit } from '../../core/runs/person-change.ts';
import type { PersonChange, QueueEntry } from '../../core/runs/person-change.ts';
import type { TreeEdit } from '../../core/tree/tree-edit.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LockHolder } from '../../ports/sessions.ts';
import type { EditQueue, Queued } from '../../ports/steer.ts';
import { commitChange, openFor, requireApplies } from './change.ts';
import type { ChangePorts } from './change.ts';
import { requireRepository } from './commit.ts';
import { isOutOfReach } from './containment.ts';
import { answerQuestion } from './questions.ts';
import type { AnswerOutcome, AnswerRequest } from './questions.ts';
import { changeTree } from './tree.ts';
import type { OpenTree, TreeChange } from './tree.ts';

export interface QueuePorts extends ChangePorts {
  readonly queue: EditQueue;
  readonly note: (message: string) => void;
}

/** As the loop reaches it. */
export function queueOf(ports: Ports): QueuePorts {
  return { ...ports, note: (message) => ports.reporter.report({ type: 'note', message }) };
}

/** Contract: the lock is held, nothing is left to recover. The checks that follow report what makes every commit impossible. */
export async function applyQueue(ports: QueuePorts): Promise<void> {
  await refuseForgeable(ports);
  const queued = await ports.queue.list();
  if (queued.length === 0) return;
  const { git } = requireRepository(ports);
  // A session may have been at work in another work tree of the repository (§14).
  await git.remember();
  for (const one of queued) {
    const open = await openFor(ports, 'entry' in one ? one.entry.edit : null).catch((error: unknown) => {
      if (error instanceof RunnerError) return null;
      throw error;
    });
    if (open === null) return;
    ports.note(await applyOne(ports, open, one));
  }
}

/**
 * Removes entries that only a person may write, if a session could have written them. Contract: the lock is held. It runs after
 * every session, so that no forged entry waits for a later session that is contained.
 */
export async function refuseForgeable(ports: QueuePorts): Promise<void> {
  const found = (await ports.queue.list()).flatMap((queued) =>
    'entry' in queued && !isTreeEdit(queued.entry.edit) ? [queued] : [],
  );
  if (found.length === 0 || (await isOutOfReach(ports))) return;
  const reason = 'the session was not contained, so an agent could have written it; give the command again';
  for (const queued of found) {
    await ports.queue.remove(queued, reason);
    ports.note(`queued change (${describeChange(queued.entry.edit)}) was not applied: ${reason}`);
  }
}

/** What became of it, for people. */
async function applyOne(ports: QueuePorts, open: OpenTree, queued: Queued): Promise<string> {
  if ('problem' in queued) {
    await ports.queue.remove(queued);
    return `a change in the queue was no change that runner wrote, and was moved aside: ${queued.problem}`;
  }
  const { entry } = queued;
  const what = `queued change (${describeChange(entry.edit)})`;
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
  const done = await commitChange(ports, open, entry);
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
export function steer(
  ports: LockedPorts,
  { command, edit }: { readonly command: string; readonly edit: TreeEdit },
): Promise<Steered> {
  return nowOrQueued<Steered>(ports, {
    command,
    now: async () => ({ kind: 'changed', ...(await changeTree(ports, edit)) }),
    later: () => Promise.resolve(edit),
  });
}

export function answerOrQueue(ports: LockedPorts, request: AnswerRequest): Promise<AnswerOutcome | Queuing> {
  return nowOrQueued(ports, {
    command: 'runner answer',
    now: () => answerQuestion(ports, request),
    later: () => Promise.resolve({ kind: 'answer', question: request.id, text: request.text }),
  });
}

/**
 * `later` gives what is to wait; it is asked only when a loop is at work. A change that a session must not forge waits only where it
 * cannot; else the lock is in the way, as for every other command.
 */
export async function nowOrQueued<T>(
  ports: LockedPorts,
  work: {
    readonly command: string;
    readonly now: () => Promise<T>;
    readonly later: () => Promise<PersonChange>;
  },
): Promise<T | Queuing> {
  try {
    return await ports.withLock(work.command, async () => {
      // What waits was asked for earlier.
      await applyQueue(ports);
      return work.now();
    });
  } catch (error) {
    const isHeld = error instanceof RunnerError && error.code === 'LOCKED';
    if (!isHeld || (await ports.loopAtWork()) === null) throw error;
    const change = await work.later();
    if (!isTreeEdit(change) && !(await isOutOfReach(ports))) throw error;
    const entry = await queueChange(ports, change);
    // The loop may have ended meanwhile: then nobody would come for the entry.
    if ((await ports.loopAtWork()) === null) await ports.withLock(work.command, () => applyQueue(ports));
    return { kind: 'queued', entry };
  }
}

/**
 * Contract: a loop is at work, so nothing is written but the entry. Throws the refusal of a change that does not apply to the last
 * commit with what waits before it.
 */
async function queueChange(ports: QueuePorts, change: PersonChange): Promise<QueueEntry> {
  const waiting = (await ports.queue.list()).flatMap((one) => ('entry' in one ? [one.entry.edit] : []));
  await requireApplies(ports, waiting, change);
  const branch = (await requireRepository(ports).git.headBranch()) ?? '';
  return ports.queue.add({ run_id: branch.replace(/^runner\//u, ''), edit: change });
}
