/** The leaves of a tree in the columns of a board. Pure. */
import { isStuck } from '../tree/selector.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { TreeNode } from '../types.ts';

export const boardColumns = ['open', 'at_work', 'retrying', 'stuck', 'passed'] as const;

export type LeafState = (typeof boardColumns)[number];

export interface BoardLeaf {
  readonly id: string;
  readonly title: string;
  readonly state: LeafState;
  readonly attempts: number;
  readonly max_attempts: number;
}

/** In the order of the tree. `atWorkId`: the node that an agent works on right now; null: none. */
export function listLeaves(tree: TreeNode, atWorkId: string | null): readonly BoardLeaf[] {
  return walkTree(tree)
    .filter(({ node }) => node.children.length === 0)
    .map(({ node }) => {
      const { id, title, attempts, max_attempts } = node;
      return { id, title, state: leafState(node, atWorkId), attempts, max_attempts };
    });
}

function leafState(leaf: TreeNode, atWorkId: string | null): LeafState {
  if (leaf.passes) return 'passed';
  if (leaf.id === atWorkId) return 'at_work';
  if (isStuck(leaf)) return 'stuck';
  return leaf.attempts > 0 ? 'retrying' : 'open';
}
