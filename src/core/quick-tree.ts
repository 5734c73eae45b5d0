/**
 * tree.json as the runner itself writes it, read at once: the platform's parser reads it, and what it would be written as must be
 * what was read, to the last character. What was read last is not read again. Null stands for "ask the full parser": whatever is
 * accepted here it accepts with the same value.
 */
import { nodeKeys, rememberText } from './canonical-json.ts';
import { treeDepthMax, treeNodesMax } from './limits.ts';
import { compareSiblings } from './tree-walk.ts';
import type { TreeNode } from './types.ts';

let last: { readonly text: string; readonly tree: TreeNode | null } = { text: '', tree: null };

/** Fits the schema, siblings are sorted, no more nodes and levels than allowed. The other rules of §3 are not looked at. */
export function readQuickTree(text: string): TreeNode | null {
  if (text !== last.text) {
    const value = parseOwn(text);
    const tree = isTree(value) ? value : null;
    last = { text, tree };
    if (tree !== null) rememberText(tree, text);
  }
  return last.tree;
}

/** Halves of characters, which the full parser has words for, would be written the same way again. */
const half = /\\ud[89a-f]/;

/** Duplicate keys, other numbers, other keys and another order of them would be written differently. Undefined when it is not ours. */
function parseOwn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return `${JSON.stringify(value, [...nodeKeys], 2)}\n` === text && !half.test(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTree(root: unknown): root is TreeNode {
  if (!isNode(root)) return false;
  const open: { readonly node: TreeNode; readonly depth: number }[] = [{ node: root, depth: 1 }];
  let nodes = 1;
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, depth } = top;
    nodes += node.children.length;
    if (nodes > treeNodesMax || depth > treeDepthMax || !areChildren(node.children)) return false;
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
