/** Which nodes of a tree are shown: folded parts, the path to a node, matches of a search. Pure and linear in the number of nodes. */
import { stateOf } from '../../core/views/overview.ts';
import type { NodeState } from '../../core/views/overview.ts';
import { indexTree, walkTree } from '../../core/tree/tree-walk.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';

/** Ids of nodes whose children are not shown. */
export type Folded = ReadonlySet<string>;

export interface ShownNode extends Visit {
  readonly state: NodeState;
  readonly isFolded: boolean;
  /** Among its siblings, from 1 on. */
  readonly position: number;
  readonly siblings: number;
}

/** Small trees are opened wholly but for passed parts; of large ones only the top, and the way to the current leaf. */
const openNodesMax = 400;
const topDepth = 2;

export function foldAtFirst(tree: TreeNode, currentId: string | null): Folded {
  const visits = walkTree(tree);
  const isLarge = visits.length > openNodesMax;
  const folded = new Set<string>();
  for (const { node, depth } of visits) {
    const isDone = node.passes && depth > 1;
    if (node.children.length > 0 && (isDone || (isLarge && depth > topDepth))) folded.add(node.id);
  }
  return openWay(tree, folded, currentId);
}

/** Everything folded but the root. */
export function foldAll(tree: TreeNode): Folded {
  return new Set(
    walkTree(tree)
      .filter(({ node, depth }) => depth > 1 && node.children.length > 0)
      .map(({ node }) => node.id),
  );
}

/** The same with every node above `id` open. */
export function openWay(tree: TreeNode, folded: Folded, id: string | null): Folded {
  const index = indexTree(tree);
  const opened = new Set(folded);
  let visit = id === null ? undefined : index.get(id);
  while (visit !== undefined && visit.parent !== null) {
    opened.delete(visit.parent.id);
    visit = index.get(visit.parent.id);
  }
  return opened.size === folded.size ? folded : opened;
}

export function toggleFold(folded: Folded, id: string): Folded {
  const next = new Set(folded);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Parents before children; nothing below a folded node. */
export function listShown(tree: TreeNode, folded: Folded): readonly ShownNode[] {
  const shown: ShownNode[] = [];
  const places = new Map<string, number>();
  let hiddenBelow = Number.POSITIVE_INFINITY;
  for (const visit of walkTree(tree)) {
    if (visit.depth > hiddenBelow) continue;
    const { node, parent, depth } = visit;
    const isFolded = node.children.length > 0 && folded.has(node.id);
    hiddenBelow = isFolded ? depth : Number.POSITIVE_INFINITY;
    const position = (places.get(parent?.id ?? '') ?? 0) + 1;
    places.set(parent?.id ?? '', position);
    const siblings = parent === null ? 1 : parent.children.length;
    shown.push({ ...visit, state: stateOf(node), isFolded, position, siblings });
  }
  return shown;
}

/** Ids of the nodes whose id, title or goal holds all words, in the order of the tree. */
export function searchTree(tree: TreeNode, query: string): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return walkTree(tree)
    .filter(({ node }) => {
      const text = `${node.id}\n${node.title}\n${node.goal}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map(({ node }) => node.id);
}

/** Upper bound of the iterations left for the current tree: the attempts of all open leaves, capped by what the run may still use. */
export function boundLeft(tree: TreeNode, iterationsLeft: number | null): number {
  const attempts = walkTree(tree)
    .filter(({ node }) => node.children.length === 0 && !node.passes)
    .reduce((sum, { node }) => sum + Math.max(0, node.max_attempts - node.attempts), 0);
  return iterationsLeft === null ? attempts : Math.min(attempts, Math.max(0, iterationsLeft));
}
