/**
 * The rules of §3 that a JSON Schema cannot express. They are checked on trees that fit the schema; the order of siblings is no
 * rule, because readers sort. Nothing here changes a tree.
 */
import { treeDepthMax, treeNodesMax } from '../limits.ts';
import { walkTree } from './tree-walk.ts';
import type { Visit } from './tree-walk.ts';
import type { TreeNode, Violation } from '../types.ts';

/** A rule prepared for one tree: what is wrong with a visited node, or null. */
type NodeCheck = (visit: Visit) => string | null;
type Rule = (visits: readonly Visit[]) => NodeCheck;

export const tooManyNodes = `the tree has more than ${treeNodesMax} nodes`;

const limitRules: readonly Rule[] = [checkNodeCount, checkDepth];
const nodeRules: readonly Rule[] = [checkUniqueIds, checkAttempts];
const passRules: readonly Rule[] = [checkPasses];

/** All rules; violations in pre-order, and for one node in the order of the rules. */
export function checkInvariants(tree: TreeNode): Violation[] {
  return checkRules(tree, [...limitRules, ...nodeRules, ...passRules]);
}

/** Depth and size only. */
export function checkLimits(tree: TreeNode): Violation[] {
  return checkRules(tree, limitRules);
}

/** What must hold for every single node and its id, no matter who wrote the tree. */
export function checkNodes(tree: TreeNode): Violation[] {
  return checkRules(tree, nodeRules);
}

function checkRules(tree: TreeNode, rules: readonly Rule[]): Violation[] {
  const visits = walkTree(tree);
  const checks = rules.map((rule) => rule(visits));
  const violations: Violation[] = [];
  for (const visit of visits) {
    for (const check of checks) {
      const message = check(visit);
      if (message !== null) violations.push({ path: visit.path, message });
    }
  }
  return violations;
}

function checkNodeCount(visits: readonly Visit[]): NodeCheck {
  return (visit) => (visit.parent === null && visits.length > treeNodesMax ? tooManyNodes : null);
}

/** Names only the topmost node of each branch that is too deep. */
function checkDepth(): NodeCheck {
  return (visit) =>
    visit.depth === treeDepthMax + 1
      ? `is on level ${visit.depth}; at most ${treeDepthMax} are allowed`
      : null;
}

function checkUniqueIds(): NodeCheck {
  const pathOf = new Map<string, string>();
  return ({ node, path }) => {
    const folded = node.id.toLowerCase();
    const first = pathOf.get(folded);
    if (first !== undefined) return `id is already used by ${first} (ids are compared ignoring case)`;
    pathOf.set(folded, path);
    return null;
  };
}

function checkAttempts(): NodeCheck {
  return ({ node }) =>
    node.attempts > node.max_attempts
      ? `attempts ${node.attempts} exceeds max_attempts ${node.max_attempts}`
      : null;
}

/** A leaf has nothing below it, and a node is either passed or open. */
function checkPasses(visits: readonly Visit[]): NodeCheck {
  const openBelow = findOpenBelow(visits);
  return ({ node }) => {
    if (node.children.length === 0) return null;
    const below = openBelow.get(node);
    if (!node.passes) return below?.hasLeaf === true ? null : 'is open, but every leaf below it is passed';
    return below === undefined ? null : `is passed, but ${below.first} below it is open`;
  };
}

interface OpenBelow {
  /** Path of the first open descendant in pre-order. */
  readonly first: string;
  readonly hasLeaf: boolean;
}

/** For every node with an open descendant: what is open below it. Iterates backwards, so that children come before parents. */
function findOpenBelow(visits: readonly Visit[]): ReadonlyMap<TreeNode, OpenBelow> {
  const openBelow = new Map<TreeNode, OpenBelow>();
  for (const { node, parent, path } of visits.toReversed()) {
    const own = openBelow.get(node);
    const first = node.passes ? own?.first : path;
    if (parent === null || first === undefined) continue;
    const isOpenLeaf = !node.passes && node.children.length === 0;
    const hasLeaf = isOpenLeaf || own?.hasLeaf === true || openBelow.get(parent)?.hasLeaf === true;
    openBelow.set(parent, { first, hasLeaf });
  }
  return openBelow;
}
