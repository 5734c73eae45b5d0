/** How far a tree is: passed leaves of all leaves, as numbers and as a bar. */
import { walkTree } from './tree-walk.ts';
import type { TreeNode } from '../types.ts';

export interface Progress {
  readonly passed: number;
  readonly total: number;
}

/** Leaves only: a node with children passes by itself when they all have. */
export function progressOf(tree: TreeNode): Progress {
  const leaves = walkTree(tree).filter(({ node }) => node.children.length === 0);
  return { passed: leaves.filter(({ node }) => node.passes).length, total: leaves.length };
}

/** `[####----]`, in plain ASCII so that every terminal shows it with the same width. Full only when everything passed. */
export function renderBar({ passed, total }: Progress, width: number): string {
  const filled = total === 0 ? 0 : Math.floor((width * passed) / total);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
}
