/**
 * What an agent may do to open nodes (§5, "Malformed"): edit and reorder them, move them under nodes that were internal,
 * add nodes there; nothing may make work disappear. Judges two trees by id sets and never changes them.
 */
import { sameTexts } from '../tree/immutability.ts';
import { nodeTextBytesMax, titleBytesMax } from '../limits.ts';
import { byteLength } from '../text/shorten.ts';
import type { Visit } from '../tree/tree-walk.ts';
import { indexTree, walkTree } from '../tree/tree-walk.ts';
import type { TreeNode, Violation } from '../types.ts';

export interface StructureInput {
  readonly before: TreeNode;
  readonly next: TreeNode;
  /** Null in a repair: rules that name the selected node do not apply. */
  readonly selectedId: string | null;
  readonly allowRemoval: boolean;
}

export function checkStructure(input: StructureInput): Violation[] {
  const before = indexTree(input.before);
  const next = indexTree(input.next);
  const open = walkTree(input.before).filter((visit) => !visit.node.passes);
  return [
    ...open.flatMap((visit) => checkOpenNode(visit, { input, before, next: next.get(visit.node.id) })),
    ...checkOpenDescendants(input.next, before),
    ...walkTree(input.next).flatMap((visit) => checkTexts(visit, before.get(visit.node.id)?.node)),
  ];
}

interface OpenNodeContext {
  readonly input: StructureInput;
  readonly before: ReadonlyMap<string, Visit>;
  readonly next: Visit | undefined;
}

function checkOpenNode(visit: Visit, context: OpenNodeContext): Violation[] {
  const { input, next } = context;
  const { id } = visit.node;
  if (next === undefined) return checkRemoved(visit, input);
  const violations: Violation[] = [];
  const wasLeaf = visit.node.children.length === 0;
  if (input.selectedId !== null && id !== input.selectedId && wasLeaf && next.node.children.length > 0) {
    violations.push({
      path: visit.path,
      message: `open leaf '${id}' gained children, but only the selected node '${input.selectedId}' may`,
    });
  }
  if (next.parent?.id !== visit.parent?.id && !wasInternal(next.parent, context.before)) {
    violations.push({
      path: next.path,
      message: `open node '${id}' moved to a place that was not an internal node before`,
    });
  }
  return violations;
}

function checkRemoved(visit: Visit, input: StructureInput): Violation[] {
  const { id } = visit.node;
  if (id === input.selectedId) return [{ path: visit.path, message: `the selected node '${id}' is gone` }];
  if (input.allowRemoval) return [];
  return [
    {
      path: visit.path,
      message: `open node '${id}' was removed (tree.allow_removal in config.toml is false)`,
    },
  ];
}

function wasInternal(parent: TreeNode | null, before: ReadonlyMap<string, Visit>): boolean {
  const visit = parent === null ? undefined : before.get(parent.id);
  return visit !== undefined && visit.node.children.length > 0;
}

/** Otherwise deleting or moving the last open leaf would count as finishing the node. */
function checkOpenDescendants(next: TreeNode, before: ReadonlyMap<string, Visit>): Violation[] {
  const visits = walkTree(next);
  const withOpenLeaf = new Set<TreeNode>();
  for (const { node, parent } of visits.toReversed()) {
    const isOpenLeaf = !node.passes && node.children.length === 0;
    if (parent !== null && (isOpenLeaf || withOpenLeaf.has(node))) withOpenLeaf.add(parent);
  }
  return visits
    .filter(({ node }) => !node.passes && !withOpenLeaf.has(node))
    .filter(({ node }) => node.children.length > 0 || wasInternal(node, before))
    .map(({ node, path }) => ({
      path,
      message: `open internal node '${node.id}' is left without an open descendant`,
    }));
}

/** Byte limits bind what agents write, not what people committed. */
function checkTexts(visit: Visit, before: TreeNode | undefined): Violation[] {
  const { node, path } = visit;
  const violations: Violation[] = [];
  if (node.title !== before?.title && byteLength(node.title) > titleBytesMax)
    violations.push({ path, message: `title is longer than ${titleBytesMax} bytes` });

  const textChanged =
    before === undefined || node.goal !== before.goal || !sameTexts(node.acceptance, before.acceptance);
  if (textChanged && byteLength([node.goal, ...node.acceptance].join('')) > nodeTextBytesMax) {
    violations.push({
      path,
      message: `goal and acceptance together are longer than ${nodeTextBytesMax} bytes`,
    });
  }
  return violations;
}
