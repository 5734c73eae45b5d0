/**
 * tree.json as the runner itself writes it, read at once: the platform's parser reads it, and what it would be written as must be
 * what was read, to the last character. What was read last is not read again. Null stands for "ask the full parser": whatever is
 * accepted here it accepts with the same value.
 */
import { nodeKeys, rememberText } from './canonical-json.ts';
import { findEdited, half } from './edited-tree.ts';
import type { EditedNode } from './edited-tree.ts';
import { treeDepthMax, treeNodesMax } from '../limits.ts';
import { compareSiblings, walkTree } from './tree-walk.ts';
import type { TreeNode } from '../types.ts';

let last: { readonly text: string; readonly tree: TreeNode | null } = { text: '', tree: null };

/** Fits the schema, siblings are sorted, no more nodes and levels than allowed. The other rules of §3 are not looked at. */
export function readQuickTree(text: string): TreeNode | null {
  if (text !== last.text) {
    const tree = readNew(text);
    last = { text, tree };
    if (tree !== null) rememberText(tree, text);
  }
  return last.tree;
}

function readNew(text: string): TreeNode | null {
  const { text: before, tree } = last;
  const edited = tree === null ? null : findEdited(text, { text: before, tree });
  if (tree !== null && edited !== null) return placeEdited(tree, edited);
  const value = parseOwn(text);
  return isTree(value, roomForAll) ? value : null;
}

/** The tree with the node in its place; only the nodes above it are new. */
function placeEdited(tree: TreeNode, { above, place, value }: EditedNode): TreeNode | null {
  const others = walkTree(tree).length - walkTree(place.child).length;
  const levels = treeDepthMax - above.length - 1;
  if (!isTree(value, { nodes: treeNodesMax - others, levels })) return null;
  const { parent, at } = place;
  const around = parent.children.with(at, value).slice(Math.max(0, at - 1), at + 2);
  if (!areChildren(around)) return null;
  return [...above, place].reduceRight<TreeNode>(
    (node, outer) => ({ ...outer.parent, children: outer.parent.children.with(outer.at, node) }),
    value,
  );
}

/** Duplicate keys, other numbers, other keys and another order of them would be written differently. Undefined when it is not ours. */
function parseOwn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return `${JSON.stringify(value, [...nodeKeys], 2)}\n` === text && !half.test(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface Room {
  readonly nodes: number;
  readonly levels: number;
}

const roomForAll: Room = { nodes: treeNodesMax, levels: treeDepthMax };

function isTree(root: unknown, room: Room): root is TreeNode {
  if (!isNode(root)) return false;
  const open: { readonly node: TreeNode; readonly depth: number }[] = [{ node: root, depth: 1 }];
  let nodes = 1;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, depth } = top;
    nodes += node.children.length;
    if (nodes > room.nodes || depth > room.levels || !areChildren(node.children)) return false;
    for (const child of node.children) open.push({ node: child, depth: depth + 1 });
  }
  return true;
}

/** Equal siblings have equal ids, which the full parser has words for. */
function areChildren(children: readonly unknown[]): children is readonly TreeNode[] {
  let before: TreeNode | null = null;
  for (const child of children) {
    if (!isNode(child) || (before !== null && compareSiblings(before, child) >= 0)) return false;
    before = child;
  }
  return true;
}

/** By the shipped schema, its children aside. */
function isNode(value: unknown): value is TreeNode {
  if (typeof value !== 'object' || value === null) return false;
  const node = value as Partial<Record<keyof TreeNode, unknown>>;
  return (
    isId(node.id) &&
    isInteger(node.order, Number.MIN_SAFE_INTEGER) &&
    typeof node.title === 'string' &&
    typeof node.goal === 'string' &&
    Array.isArray(node.acceptance) &&
    node.acceptance.every(isString) &&
    typeof node.passes === 'boolean' &&
    isInteger(node.attempts, 0) &&
    isInteger(node.max_attempts, 1) &&
    Array.isArray(node.children)
  );
}

const idPattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/;
const reservedPattern = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i;

function isId(value: unknown): boolean {
  return typeof value === 'string' && idPattern.test(value) && !reservedPattern.test(value);
}

function isInteger(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min;
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}
