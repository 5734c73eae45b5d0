/**
 * tree.json as the runner itself writes it, read at once: its indentation is compared with what it must be, not scanned, and what was
 * read last is not read again. Null stands for "ask the full parser": whatever is accepted here it accepts with the same value.
 */
import { layoutAt, rememberText } from './canonical-json.ts';
import type { NodeLayout } from './canonical-json.ts';
import { treeDepthMax, treeNodesMax } from './limits.ts';
import { validateTree } from './tree-validator.js';
import { compareSiblings } from './tree-walk.ts';
import type { TreeNode } from './types.ts';

interface Reader {
  readonly text: string;
  at: number;
}

/** Under construction: nobody else has seen it yet. */
interface Growing extends TreeNode {
  readonly children: Growing[];
}

let last: { readonly text: string; readonly tree: TreeNode | null } = { text: '', tree: null };

/** Fits the schema, siblings are sorted, no more nodes and levels than allowed. The other rules of §3 are not looked at. */
export function readQuickTree(text: string): TreeNode | null {
  if (text !== last.text) {
    const tree = readTree({ text, at: 0 });
    last = { text, tree };
    if (tree !== null) rememberText(tree, text);
  }
  return last.tree;
}

function readTree(reader: Reader): TreeNode | null {
  const open: Growing[] = [];
  for (let nodes = 1; nodes <= treeNodesMax && open.length < treeDepthMax; nodes += 1) {
    const layout = layoutAt(open.length + 1);
    const node = readHead(reader, layout);
    if (node === null || !validateTree(node) || !addTo(open.at(-1), node)) return null;
    open.push(node);
    if (eat(reader, layout.firstChild)) continue;
    if (!eat(reader, ']')) return null;
    // A node may be the last one of several levels.
    for (;;) {
      if (!eat(reader, layoutAt(open.length).close)) return null;
      const closed = open.pop() as Growing;
      if (open.length === 0) return eat(reader, '\n') && reader.at === reader.text.length ? closed : null;
      const above = layoutAt(open.length);
      if (eat(reader, above.nextChild)) break;
      if (!eat(reader, above.childrenEnd)) return null;
    }
  }
  return null;
}

/** Equal siblings have equal ids, which the full parser has words for. */
function addTo(parent: Growing | undefined, node: Growing): boolean {
  if (parent === undefined) return true;
  const before = parent.children.at(-1);
  parent.children.push(node);
  return before === undefined || compareSiblings(before, node) < 0;
}

/** Everything of a node in front of its first child. */
function readHead(reader: Reader, layout: NodeLayout): Growing | null {
  const id = eat(reader, layout.id) ? readString(reader) : null;
  const order = eat(reader, layout.order) ? readInteger(reader) : null;
  const title = eat(reader, layout.title) ? readString(reader) : null;
  const goal = eat(reader, layout.goal) ? readString(reader) : null;
  const acceptance = eat(reader, layout.acceptance) ? readStrings(reader, layout) : null;
  const passes = eat(reader, layout.passes) ? readBoolean(reader) : null;
  const attempts = eat(reader, layout.attempts) ? readInteger(reader) : null;
  const max_attempts = eat(reader, layout.max_attempts) ? readInteger(reader) : null;
  // What is missing is null, which fits no field of the schema.
  const node = { id, order, title, goal, acceptance, passes, attempts, max_attempts, children: [] };
  return eat(reader, layout.children) ? (node as unknown as Growing) : null;
}

function eat(reader: Reader, part: string): boolean {
  if (!reader.text.startsWith(part, reader.at)) return false;
  reader.at += part.length;
  return true;
}

/** Longer ones may not be safe; the full parser knows. */
const digitsMax = 15;

function readInteger(reader: Reader): number | null {
  const { text, at } = reader;
  let end = text[at] === '-' ? at + 1 : at;
  const start = end;
  while (isDigit(text.charCodeAt(end))) end += 1;
  const isLong = end - start > digitsMax;
  const value = isLong ? Number.NaN : Number(text.slice(at, end));
  reader.at = end;
  // No digits, a zero in front and a minus zero are not what the number would be written as.
  return String(value) === text.slice(at, end) ? value : null;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function readBoolean(reader: Reader): boolean | null {
  if (eat(reader, 'false')) return false;
  return eat(reader, 'true') ? true : null;
}

function readStrings(reader: Reader, { firstItem, nextItem, itemsEnd }: NodeLayout): string[] | null {
  if (eat(reader, ']')) return [];
  const items: string[] = [];
  for (let isMore = eat(reader, firstItem); isMore; isMore = eat(reader, nextItem)) {
    const item = readString(reader);
    if (item === null) return null;
    items.push(item);
  }
  return eat(reader, itemsEnd) ? items : null;
}

/** Whatever does not stand for itself in a string, and halves of characters. */
// oxlint-disable-next-line no-control-regex
const odd = /[\u0000-\u001f\\\ud800-\udfff]/;
const lone = /\p{Surrogate}/u;

function readString(reader: Reader): string | null {
  const { text, at } = reader;
  if (text[at] !== '"') return null;
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) return null;
  reader.at = end + 1;
  const plain = text.slice(at + 1, end);
  return odd.test(plain) ? decode(text.slice(at, end + 1)) : plain;
}

function isEscaped(text: string, quote: number): boolean {
  let start = quote;
  while (text[start - 1] === '\\') start -= 1;
  return (quote - start) % 2 === 1;
}

/** Only what would be written like this again. */
function decode(quoted: string): string | null {
  try {
    const value = JSON.parse(quoted) as string;
    return JSON.stringify(value) === quoted && !lone.test(value) ? value : null;
  } catch {
    return null;
  }
}
