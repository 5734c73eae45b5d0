/**
 * The two written forms of a value (§3): canonical text for comparing and hashing, indented text for the disk. Key order on
 * disk is the documented one, never the order in which an object happened to be built.
 */
import stringify from 'fast-json-stable-stringify';
import type { TreeNode } from './types.ts';

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

/** What stands between the values of a node on disk, on a level of the tree. */
export type NodeLayout = Readonly<
  Record<
    | (typeof nodeKeys)[number]
    | 'firstItem'
    | 'nextItem'
    | 'itemsEnd'
    | 'firstChild'
    | 'nextChild'
    | 'childrenEnd'
    | 'close',
    string
  >
>;

const layouts: NodeLayout[] = [];

/** The root is on level 1. */
export function layoutAt(depth: number): NodeLayout {
  return (layouts[depth] ??= makeLayout('    '.repeat(depth - 1)));
}

function makeLayout(indent: string): NodeLayout {
  const key = (name: string): string => `,\n${indent}  "${name}": `;
  return {
    id: `{\n${indent}  "id": `,
    order: key('order'),
    title: key('title'),
    goal: key('goal'),
    acceptance: `${key('acceptance')}[`,
    firstItem: `\n${indent}    `,
    nextItem: `,\n${indent}    `,
    itemsEnd: `\n${indent}  ]`,
    passes: key('passes'),
    attempts: key('attempts'),
    max_attempts: key('max_attempts'),
    children: `${key('children')}[`,
    firstChild: `\n${indent}    `,
    nextChild: `,\n${indent}    `,
    childrenEnd: `\n${indent}  ]`,
    close: `\n${indent}}`,
  };
}

/** Trees never change, so neither do their texts. */
const texts = new WeakMap<TreeNode, string>();

/** tree.json as it stands on disk. */
export function renderTree(tree: TreeNode): string {
  const known = texts.get(tree);
  if (known !== undefined) return known;
  // A list of keys as replacer also fixes their order, at every level.
  const text = `${JSON.stringify(tree, [...nodeKeys], 2)}\n`;
  texts.set(tree, text);
  return text;
}

/** Contract: the tree was read from this text, and it is what the tree would be rendered to. */
export function rememberText(tree: TreeNode, text: string): void {
  texts.set(tree, text);
}

/** Any other JSON file: keys in the order the value was built with. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
