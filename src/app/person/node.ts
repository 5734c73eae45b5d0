/** `runner retry` and `runner edit`: a person changes one open node of the tree, in a commit of its own (§1.3). */
import { renderTree } from '../../core/tree/canonical-json.ts';
import { retryCommitMessage } from '../../core/iteration/commit-message.ts';
import { RunnerError } from '../../core/errors.ts';
import { findOpenNode, planRetry } from '../../core/tree/person-edit.ts';
import type { NodeTexts } from '../../core/tree/person-edit.ts';
import type { TreeEdit } from '../../core/tree/tree-edit.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import { requireRepository, saveAndCommit } from './commit.ts';
import { applyQueue, loadCommitted, queueForLoop } from './queue.ts';
import type { LockedPorts, Queuing } from './queue.ts';
import { changeTree, openTree, treePath } from './tree.ts';
import type { TreePorts } from './tree.ts';

export interface RetryOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly max_attempts_before: number;
  readonly commit: string | null;
}

/** Contract: the lock is held. */
export async function retry(
  ports: TreePorts,
  request: { readonly word: string; readonly maxAttempts: number | null },
): Promise<RetryOutcome> {
  const { place, tree } = await openTree(ports);
  const { max_attempts_default } = await ports.configs.load();
  const plan = planRetry({ tree, ...request, maxAttemptsDefault: max_attempts_default });
  if (!plan.ok) throw new RunnerError(plan);
  const { id, attempts, max_attempts } = plan.after;
  const outcome = { run_id: place.run_id, id, attempts, max_attempts };
  const { git } = await ports.configs.load();
  const commit = plan.changed
    ? await saveAndCommit(ports, place, {
        files: { [treePath]: renderTree(plan.tree) },
        message: retryCommitMessage(plan),
        sign: git.sign,
      })
    : null;
  return { ...outcome, max_attempts_before: plan.before.max_attempts, commit };
}

export interface EditOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly changed: readonly string[];
  readonly commit: string | null;
}

interface EditRequest {
  readonly word: string;
  /** Gets the node as it is and gives what is to change; asked only when everything else is in order: it may be a person in an editor. */
  readonly write: (visit: Visit) => Promise<Partial<NodeTexts>>;
}

/** At once, or, while a loop is at work, before its next iteration. */
export async function editOrQueue(ports: LockedPorts, request: EditRequest): Promise<EditOutcome | Queuing> {
  const command = 'runner edit';
  try {
    return await ports.withLock(command, async () => {
      await applyQueue(ports);
      return editNode(ports, request);
    });
  } catch (error) {
    const isHeld = error instanceof RunnerError && error.code === 'LOCKED';
    if (!isHeld || (await ports.loopAtWork()) === null) throw error;
  }
  const edit = await editOf(await loadCommitted(requireRepository(ports).git), request);
  return queueForLoop(ports, { command, edit });
}

async function editNode(ports: TreePorts, request: EditRequest): Promise<EditOutcome> {
  const { tree } = await openTree(ports);
  const edit = await editOf(tree, request);
  const { run_id, plan, commit } = await changeTree(ports, edit);
  return { run_id, id: edit.node, changed: plan.changed, commit };
}

async function editOf(tree: TreeNode, { word, write }: EditRequest): Promise<EditKind> {
  const found = findOpenNode(tree, word);
  if (!found.ok) throw new RunnerError(found);
  const { acceptance, ...words } = await write(found.visit);
  const texts = { ...words, ...(acceptance === undefined ? {} : { acceptance: [...acceptance] }) };
  return { kind: 'edit', node: found.visit.node.id, texts };
}

type EditKind = Extract<TreeEdit, { kind: 'edit' }>;
