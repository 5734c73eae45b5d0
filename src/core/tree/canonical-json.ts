/**
 * The two written forms of a value (§3): canonical text for comparing and hashing, indented text for the disk. Key order on
 * disk is the documented one, never the order in which an object happened to be built.
 */
import stringify from 'fast-json-stable-stringify';
import type { TreeNode } from '../types.ts';

/** The keys of a node in the documented order. */
export const nodeKeys = [
  'id',
  'order',
  'title',
  'goal',
  'acceptance',
  'passes',
  'attempts',
  'max_attempts',
  'children',
] as const satisfies readonly (keyof TreeNode)[];

/** Equal values give equal texts, whatever the order of their keys. */
export function canonicalText(value: unknown): string {
  return stringify(value);
}

/** Trees never change, so neither do their texts. */
const texts = new WeakMap<TreeNode, string>();

/** The text of tree.json on disk. */
export function renderTree(tree: TreeNode): string {
  const known = texts.get(tree);
  if (known !== undefined) return known;
  // A list of keys as replacer also fixes their order, at every level.
  const text = `${JSON.stringify(tree, [...nodeKeys], 2)}\n`;
  texts.set(tree, text);
  return text;
}

/** Any other JSON file: keys in the order the value was built with. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
