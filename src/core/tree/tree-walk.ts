/**
 * Traversals of a task tree: pre-order visits, lookup by id, sorting, bottom-up rebuilding. All are iterative and linear in the
 * number of nodes; none changes the tree.
 */
import type { TreeNode } from '../types.ts';

export interface Visit {
  readonly node: TreeNode;
  readonly parent: TreeNode | null;
  /** The root has depth 1. */
  readonly depth: number;
  /** Ids from the root, joined by `/`. */
  readonly path: string;
}

/** Trees never change, so one walk serves all callers. */
const walks = new WeakMap<TreeNode, readonly Visit[]>();
const indexes = new WeakMap<TreeNode, ReadonlyMap<string, Visit>>();

/** Every node, parents before children, siblings in their current order. */
export function walkTree(root: TreeNode): readonly Visit[] {
  const known = walks.get(root);
  if (known !== undefined) return known;
  const visits: Visit[] = [];
  const pending: Visit[] = [{ node: root, parent: null, depth: 1, path: root.id }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    visits.push(visit);
    const { node, depth, path } = visit;
    for (const child of node.children.toReversed())
      pending.push({ node: child, parent: node, depth: depth + 1, path: `${path}/${child.id}` });
  }
  walks.set(root, visits);
  return visits;
}

export function findVisit(root: TreeNode, id: string): Visit | null {
  return walkTree(root).find((visit) => visit.node.id === id) ?? null;
}

export function findNode(root: TreeNode, id: string): TreeNode | null {
  return findVisit(root, id)?.node ?? null;
}

/** Null: there is no such node. */
export function titleIn(root: TreeNode, id: string): string | null {
  return findNode(root, id)?.title ?? null;
}

/** Visits by id, in pre-order. Ids are unique in a valid tree; in another one the last visit wins. */
export function indexTree(root: TreeNode): ReadonlyMap<string, Visit> {
  const known = indexes.get(root);
  if (known !== undefined) return known;
  const index = new Map<string, Visit>();
  for (const visit of walkTree(root)) index.set(visit.node.id, visit);
  indexes.set(root, index);
  return index;
}

/** Rebuilds the tree from the leaves up; `fn` gets each node with its children already rebuilt. What does not change is shared. */
export function mapTree(root: TreeNode, fn: (node: TreeNode) => TreeNode): TreeNode {
  const top: Rebuilt = { node: root, home: [], children: [] };
  const order: Rebuilt[] = [];
  const pending: Rebuilt[] = [top];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    order.push(entry);
    for (const child of entry.node.children) {
      pending.push({
        node: child,
        home: entry.children,
        children: child.children.length === 0 ? nothing : [],
      });
    }
  }
  // Last children were visited first, so going backwards fills every list from its first child on.
  let mapped = root;
  for (const { node, home, children } of order.toReversed()) {
    const isSame = children.every((child, at) => child === node.children[at]);
    mapped = fn(isSame ? node : { ...node, children });
    home.push(mapped);
  }
  return mapped;
}

/** Children of every leaf; never filled. */
const nothing: TreeNode[] = [];

/** A node on its way through mapTree: where its result goes, and the results of its children. */
interface Rebuilt {
  readonly node: TreeNode;
  readonly home: TreeNode[];
  readonly children: TreeNode[];
}

/** The same tree with all siblings in order (§3). */
export function sortTree(root: TreeNode): TreeNode {
  return mapTree(root, (node) => {
    const { children } = node;
    const isSorted = children.every((child, at) => {
      const before = children[at - 1];
      return before === undefined || compareSiblings(before, child) <= 0;
    });
    return isSorted ? node : { ...node, children: children.toSorted(compareSiblings) };
  });
}

/** §3: by `order`, then by `id` by code point. */
export function compareSiblings(a: TreeNode, b: TreeNode): number {
  return a.order === b.order ? compareCodePoints(a.id, b.id) : a.order < b.order ? -1 : 1;
}

/** Order by code point: JavaScript's own order puts characters beyond U+FFFF before U+E000 to U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates, the halves of characters beyond U+FFFF, above all other UTF-16 units. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
