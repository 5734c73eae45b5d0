/** Computes the length of tree.json without building the text, which may be too long to build. */
import { byteLength } from '../text/shorten.ts';
import type { Visit } from './tree-walk.ts';
import type { TreeNode } from '../types.ts';

/** At least the bytes on disk: indentation can make it many times as long as what somebody wrote. */
export function treeDiskBytes(visits: readonly Visit[]): number {
  return visits.reduce((bytes, { node, depth }) => bytes + nodeBytes(node, depth), 0);
}

/** Keys, brackets and line breaks of a node without acceptance and children. */
const bareBytes =
  '{  "id": ,  "order": ,  "title": ,  "goal": ,  "acceptance": [],  "passes": ,  "attempts": ,  "max_attempts": ,  "children": []}'
    .length + 10;
const bareLines = 11;

/** Beyond its own lines: the line that ends its children, and the separator between siblings. */
function nodeBytes(node: TreeNode, depth: number): number {
  const { acceptance, order, passes, attempts, max_attempts } = node;
  const values = `${order}${passes}${attempts}${max_attempts}`.length;
  const texts = jsonBytes(node.id) + jsonBytes(node.title) + jsonBytes(node.goal);
  // A list that is not empty has its end on a line of its own, and a line break, an indentation and a comma an item.
  const items = acceptance.reduce(
    (bytes, text) => bytes + 6 + jsonBytes(text),
    acceptance.length > 0 ? 2 : 0,
  );
  const lines = bareLines + (acceptance.length > 0 ? acceptance.length + 1 : 0);
  return bareBytes + values + texts + items + (lines + 1) * 4 * (depth - 1) + 5;
}

/** Whatever may need an escape. */
// oxlint-disable-next-line no-control-regex
const odd = /["\\\u0000-\u001f\ud800-\udfff]/;

function jsonBytes(text: string): number {
  return odd.test(text) ? byteLength(JSON.stringify(text)) : byteLength(text) + 2;
}
