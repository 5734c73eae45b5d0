/** The only code that changes `passes` and `attempts`, and that makes nodes out of an answer's children (§5). Pure. */
import { assert } from '../errors.ts';
import { freeIds } from '../tree/child-ids.ts';
import type { IdSource } from '../tree/child-ids.ts';
import { findVisit, mapTree, sortTree } from '../tree/tree-walk.ts';
import type { AgentChild, TreeNode } from '../types.ts';

/** One attempt used; saturates at `max_attempts`. A node that is gone or has children by now uses none. */
export function applyAttempt(tree: TreeNode, id: string): TreeNode {
  return mapTree(tree, (node) =>
    node.id === id && node.children.length === 0 && node.attempts < node.max_attempts
      ? { ...node, attempts: node.attempts + 1 }
      : node,
  );
}

/** The leaf passes, and with it every internal node whose children all pass. Call it only after a green guard. */
export function applyPass(tree: TreeNode, id: string): TreeNode {
  const leaf = findVisit(tree, id);
  assert(leaf !== null && leaf.node.children.length === 0, `the passing node '${id}' is a leaf of the tree`);
  return mapTree(tree, (node) => {
    if (node.id === id) return { ...node, passes: true };
    const derived = node.children.length > 0 && node.children.every((child) => child.passes);
    return derived && !node.passes ? { ...node, passes: true } : node;
  });
}

export interface ChildrenInput extends IdSource {
  readonly children: readonly AgentChild[];
  readonly maxAttempts: number;
}

export function applyChildren(input: ChildrenInput): TreeNode {
  const nextId = freeIds(input);
  const children = input.children.map((child, index): TreeNode => ({
    id: nextId(),
    order: index,
    title: child.title,
    goal: child.goal,
    acceptance: [...child.acceptance],
    passes: false,
    attempts: 0,
    max_attempts: input.maxAttempts,
    children: [],
  }));
  return sortTree(mapTree(input.tree, (node) => (node.id === input.parentId ? { ...node, children } : node)));
}
