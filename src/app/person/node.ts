/** `runner edit`: a person changes the texts of one open node of the tree, in a commit of its own (§1.3). */
import { RunnerError } from '../../core/errors.ts';
import { findOpenNode } from '../../core/tree/person-edit.ts';
import type { NodeTexts } from '../../core/tree/person-edit.ts';
import type { TreeEdit } from '../../core/tree/tree-edit.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import { requireRepository } from './commit.ts';
import { loadCommittedTree } from './change.ts';
import { nowOrQueued } from './queue.ts';
import type { LockedPorts, Queuing } from './queue.ts';
import { changeTree, openTree } from './tree.ts';
import type { TreePorts } from './tree.ts';

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
  return nowOrQueued(ports, {
    command: 'runner edit',
    now: () => editNode(ports, request),
    later: async () => editOf(await loadCommittedTree(requireRepository(ports).git), request),
  });
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
