/**
 * How a person may change the shape of the tree (§12): add, move and drop open nodes. A passed leaf never changes; a passed
 * internal node only becomes open again when something is put below it. Nothing here can make a node pass.
 */
import { assert } from '../errors.ts';
import { freeIds } from './child-ids.ts';
import type { IdSource } from './child-ids.ts';
import { findNamedNode } from './person-edit.ts';
import type { NodeTexts, Refusal } from './person-edit.ts';
import { compareSiblings, findNode, indexTree, mapTree, sortTree, walkTree } from './tree-walk.ts';
import type { Visit } from './tree-walk.ts';
import type { TreeNode } from '../types.ts';

/** Before or after a sibling; neither: behind all others. */
export interface Spot {
  readonly before: string | null;
  readonly after: string | null;
}

export interface ShapeGround extends Pick<IdSource, 'takenIds' | 'sha256'> {
  readonly tree: TreeNode;
  readonly maxAttempts: number;
}

export interface ShapePlan {
  readonly ok: true;
  readonly tree: TreeNode;
  /** The nodes that were added, moved or dropped, in their order. */
  readonly ids: readonly string[];
  /** Internal nodes that had passed and are open again, from the root down. */
  readonly reopened: readonly string[];
  /** The open leaf that now has children; null: none. */
  readonly split: string | null;
  /** Dropped nodes with the ids of their parents. */
  readonly dropped: readonly { readonly node: TreeNode; readonly parent: string }[];
}

export type ShapeResult = ShapePlan | Refusal;

export function planAdd(
  ground: ShapeGround,
  request: Spot & { readonly parent: string; readonly nodes: readonly NodeTexts[] },
): ShapeResult {
  const target = findTarget(ground.tree, request.parent, request);
  if (!target.ok) return target;
  if (request.nodes.some(({ title }) => title.trim() === ''))
    return refuse('USAGE', 'a node needs a title', `runner add ${target.parent.id} --title <text>`);
  const nextId = freeIds({ ...ground, parentId: target.parent.id });
  const added = request.nodes.map(({ title, goal, acceptance }): TreeNode => ({
    id: nextId(),
    order: 0,
    title,
    goal,
    acceptance: [...acceptance],
    passes: false,
    attempts: 0,
    max_attempts: ground.maxAttempts,
    children: [],
  }));
  return place(ground.tree, { ...target, added });
}

export function planMove(
  tree: TreeNode,
  request: Spot & { readonly node: string; readonly under: string | null },
): ShapeResult {
  const found = findMovable(tree, request.node, 'moved');
  if (!found.ok) return found;
  const { node, parent, path } = found;
  const target = findTarget(tree, request.under ?? parentOfSpot(tree, request) ?? parent.id, request);
  if (!target.ok) return target;
  if (walkTree(node).some((below) => below.node.id === target.parent.id))
    return refuse('NODE_CLOSED', `${path} cannot be moved below itself`, 'runner tree');
  if (target.beside?.id === node.id)
    return refuse('USAGE', `${path} cannot be placed beside itself`, 'runner tree');
  const without = withoutNode(tree, node.id);
  const placed = place(without, { ...target, added: [node] });
  if (!placed.ok) return placed;
  // A parent without children is a leaf again, with the work it had before it was split.
  const isLeafAgain = requireNode(placed.tree, parent.id).children.length === 0;
  return isLeafAgain ? placed : (leftEmpty(placed.tree, found) ?? placed);
}

/** `why` is kept with the nodes by the caller. */
export function planDrop(tree: TreeNode, word: string): ShapeResult {
  const found = findMovable(tree, word, 'dropped');
  if (!found.ok) return found;
  const { node, parent } = found;
  const next = withoutNode(tree, node.id);
  const dropped = walkTree(node).map((visit) => ({
    node: visit.node,
    parent: visit.parent?.id ?? parent.id,
  }));
  const plan: ShapePlan = { ok: true, tree: next, ids: [node.id], reopened: [], split: null, dropped };
  return leftEmpty(next, found) ?? plan;
}

function refuse(code: Refusal['code'], message: string, hint: string): Refusal {
  return { ok: false, code, message, hint };
}

interface Movable {
  readonly ok: true;
  readonly node: TreeNode;
  readonly parent: TreeNode;
  readonly path: string;
}

/** Open, with nothing passed below it, and not the root. */
function findMovable(tree: TreeNode, word: string, done: 'moved' | 'dropped'): Movable | Refusal {
  const found = findNamedNode(tree, word);
  if (!found.ok) return found;
  const { node, parent, path } = found.visit;
  if (parent === null) return refuse('NODE_CLOSED', `the root cannot be ${done}`, 'runner tree');
  const passed = walkTree(node).find((below) => below.node.passes);
  if (passed === undefined) return { ok: true, node, parent, path };
  const what = passed.node.id === node.id ? 'it has passed' : `${passed.node.id} below it has passed`;
  return refuse('NODE_CLOSED', `${path} cannot be ${done}: ${what}`, 'runner tree --open');
}

function withoutNode(tree: TreeNode, id: string): TreeNode {
  return mapTree(tree, (node) =>
    node.children.some((child) => child.id === id)
      ? { ...node, children: node.children.filter((child) => child.id !== id) }
      : node,
  );
}

/** Work must not disappear by taking away the last of it: a parent without open leaves would count as finished. */
function leftEmpty(next: TreeNode, { node, parent, path }: Movable): Refusal | null {
  const now = requireNode(next, parent.id);
  if (walkTree(now).some((below) => below.node !== now && isOpenLeaf(below))) return null;
  return refuse(
    'NODE_CLOSED',
    `${path} is the last open work below ${parent.id}`,
    `runner edit ${node.id} --goal <text>, or end the run as it is: runner finish --partial`,
  );
}

function requireNode(tree: TreeNode, id: string): TreeNode {
  const node = findNode(tree, id);
  assert(node !== null, `${id} stays in the tree`);
  return node;
}

function isOpenLeaf({ node }: Visit): boolean {
  return !node.passes && node.children.length === 0;
}

interface Target {
  readonly ok: true;
  readonly parent: TreeNode;
  /** The sibling that the new place is named after; null: behind all. */
  readonly beside: TreeNode | null;
  readonly isAfter: boolean;
}

function parentOfSpot(tree: TreeNode, spot: Spot): string | null {
  const word = spot.before ?? spot.after;
  const found = word === null ? null : findNamedNode(tree, word);
  return found?.ok === true ? (found.visit.parent?.id ?? null) : null;
}

function findTarget(tree: TreeNode, word: string, spot: Spot): Target | Refusal {
  const found = findNamedNode(tree, word);
  if (!found.ok) return found;
  const { node: parent, parent: above, path } = found.visit;
  if (parent.passes && parent.children.length === 0) {
    const hint = above === null ? 'runner finish' : `runner add ${above.id} --title <text>`;
    return refuse('NODE_CLOSED', `${path} has passed and is a leaf: nothing can be added below it`, hint);
  }
  const named = spot.before ?? spot.after;
  if (named === null) return { ok: true, parent, beside: null, isAfter: true };
  const sibling = findNamedNode(tree, named);
  if (!sibling.ok) return sibling;
  if (sibling.visit.parent !== parent)
    return refuse('USAGE', `${sibling.visit.path} is not a child of ${parent.id}`, 'runner tree');
  return { ok: true, parent, beside: sibling.visit.node, isAfter: spot.before === null };
}

/** Puts nodes below a parent, opens what had passed above them, and keeps the order of everything that is open. */
function place(tree: TreeNode, target: Target & { readonly added: readonly TreeNode[] }): ShapeResult {
  const { parent, added } = target;
  const siblings = requireNode(tree, parent.id).children;
  const children = mergeOrders(siblings, target);
  if (children.some(({ order }) => !Number.isSafeInteger(order)))
    return refuse('TREE_INVALID', `the order numbers below ${parent.id} are used up`, 'runner tree');
  const line = ancestorsOf(tree, parent.id);
  const reopened = line.filter(({ passes }) => passes).map(({ id }) => id);
  const next = mapTree(tree, (node) => {
    const open = reopened.includes(node.id) ? { ...node, passes: false } : node;
    return node.id === parent.id ? { ...open, children } : open;
  });
  const split = siblings.length === 0 && !parent.passes && parent.children.length === 0 ? parent.id : null;
  const ids = added.map(({ id }) => id);
  return { ok: true, tree: sortTree(next), ids, reopened, split, dropped: [] };
}

/** From the root down to the node itself. */
function ancestorsOf(tree: TreeNode, id: string): readonly TreeNode[] {
  const index = indexTree(tree);
  const line: TreeNode[] = [];
  for (let visit = index.get(id); visit !== undefined; visit = index.get(visit.parent?.id ?? ''))
    line.unshift(visit.node);
  return line;
}

/**
 * Orders of passed siblings stay (§1.3), so only open ones make room: each of them behind its place gets a number above the one
 * before it. Passed siblings are never worked on again; their position decides nothing.
 */
function mergeOrders(
  siblings: readonly TreeNode[],
  { beside, isAfter, added }: Target & { readonly added: readonly TreeNode[] },
): readonly TreeNode[] {
  const sorted = siblings.toSorted(compareSiblings);
  const at =
    beside === null ? sorted.length : sorted.findIndex(({ id }) => id === beside.id) + (isAfter ? 1 : 0);
  const left = sorted.slice(0, at);
  const right = sorted.slice(at);
  const leftMost = right[0] === undefined ? 0 : right[0].order - added.length;
  const behind = left.at(-1);
  const first = behind === undefined ? leftMost : behind.order + 1;
  const placed = added.map((node, index) => ({ ...node, order: first + index }));
  let last = first + added.length - 1;
  const shifted = right.map((node) => {
    const order = node.passes || node.order > last ? node.order : last + 1;
    last = Math.max(last, order);
    return order === node.order ? node : { ...node, order };
  });
  return [...left, ...placed, ...shifted];
}
