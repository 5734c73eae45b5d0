/**
 * Decides what comes next for a tree (§4): a leaf, a repair, complete or stuck. It does not sort siblings; the readers give it
 * sorted trees.
 */
import { findVisit } from './tree-walk.ts';
import type { Config, RunState, SelectedLeaf, Selection, TreeNode } from '../types.ts';

export interface SelectionInput {
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly onStuck: Config['on_stuck'];
}

/** A pending repair goes first; then the first open leaf, or what `on_stuck` makes of it. */
export function selectNext({ tree, runState, onStuck }: SelectionInput): Selection {
  const { repair } = runState;
  if (repair !== null) return { kind: 'repair', leaf: selectCause(tree, repair.node_id), repair };
  const first = selectOpenLeaf(tree, () => true);
  if (first === null) return { kind: 'complete' };
  if (!isStuck(first.node)) return { kind: 'leaf', leaf: first, purpose: 'execute' };
  if (onStuck === 'defer') {
    const next = selectOpenLeaf(tree, (node) => !isStuck(node));
    if (next !== null) return { kind: 'leaf', leaf: next, purpose: 'execute' };
  }
  if (onStuck === 'decompose' && runState.nodes[first.node.id]?.decompose_used !== true)
    return { kind: 'leaf', leaf: first, purpose: 'plan' };

  return { kind: 'stuck', leaf: first };
}

/** An open leaf without attempts left. */
export function isStuck(node: TreeNode): boolean {
  return node.children.length === 0 && !node.passes && node.attempts >= node.max_attempts;
}

function selectCause(tree: TreeNode, id: string): SelectedLeaf | null {
  const visit = findVisit(tree, id);
  return visit === null ? null : { node: visit.node, path: visit.path };
}

/** Depth first; below a passed node nothing is open (§3), so it is not looked into. */
function selectOpenLeaf(root: TreeNode, accepts: (node: TreeNode) => boolean): SelectedLeaf | null {
  const pending: SelectedLeaf[] = [{ node: root, path: root.id }];
  for (let leaf = pending.pop(); leaf !== undefined; leaf = pending.pop()) {
    const { node, path } = leaf;
    if (node.passes) continue;
    if (node.children.length === 0 && accepts(node)) return leaf;
    for (const child of node.children.toReversed())
      pending.push({ node: child, path: `${path}/${child.id}` });
  }
  return null;
}
