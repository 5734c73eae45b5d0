/**
 * tree.json in which somebody changed a part: only the innermost node around the change is read, everything else is as it was read before.
 * Null stands for "read all of it": whatever is found here would be read to the same value.
 */
import { nodeKeys } from './canonical-json.ts';
import type { TreeNode } from '../types.ts';

export interface KnownText {
  readonly text: string;
  /** What the text was read to; it is written as exactly this text. */
  readonly tree: TreeNode;
}

/** A child, and which one it is. */
export interface Place {
  readonly parent: TreeNode;
  readonly at: number;
  readonly child: TreeNode;
}

export interface EditedNode {
  /** The nodes above it, from the root down. */
  readonly above: readonly Place[];
  /** The node as it was. */
  readonly place: Place;
  /** As the new text has it. What kind of a value it is has not been looked at. */
  readonly value: unknown;
}

/** Contract: with `value` in its place the tree is written as exactly `text`. The root itself is never found. */
export function findEdited(text: string, known: KnownText): EditedNode | null {
  const change = findChange(known.text, text);
  let left = text.length / 2;
  for (let open = openingBefore(text, change.start); open !== null; open = outerOpening(text, open)) {
    const part = partAt({ text, known, change, open });
    left -= part.now.length;
    // Reading one node after the other must not take longer than reading everything.
    if (left < 0) return null;
    const read = readBoth(part);
    const found = read === null ? null : findPlace({ text, known, open, id: read.id });
    if (read !== null && found !== null) return { ...found, value: read.value };
  }
  return null;
}

interface Change {
  /** So many characters at the start are the same, and so many of the rest at the end. */
  readonly start: number;
  readonly end: number;
}

/** Compared at once: one by one, characters would take as long as reading everything. */
const blockLength = 65_536;

function findChange(before: string, now: string): Change {
  const length = Math.min(before.length, now.length);
  let start = 0;
  while (start + blockLength <= length && isSame(before, now, start)) start += blockLength;
  while (start < length && before.charCodeAt(start) === now.charCodeAt(start)) start += 1;
  const most = length - start;
  const [last, lastNow] = [before.length - 1, now.length - 1];
  let end = 0;
  while (end + blockLength <= most && isSameEnd(before, now, end)) end += blockLength;
  while (end < most && before.charCodeAt(last - end) === now.charCodeAt(lastNow - end)) end += 1;
  return { start, end };
}

/** The block that begins so far from the start. */
function isSame(a: string, b: string, start: number): boolean {
  return a.slice(start, start + blockLength) === b.slice(start, start + blockLength);
}

/** The block that ends so far from the end. */
function isSameEnd(a: string, b: string, end: number): boolean {
  const [endA, endB] = [a.length - end, b.length - end];
  return a.slice(endA - blockLength, endA) === b.slice(endB - blockLength, endB);
}

/** The line on which a node begins: spaces and a bracket. No value has a line break in it, so nothing else looks like this. */
interface Opening {
  /** Of the bracket. */
  readonly at: number;
  readonly indent: string;
}

/** A node is indented by the bracket and the list it stands in. */
const indentPerLevel = 4;

/** The nearest that is whole before the place; null when that is the root. */
function openingBefore(text: string, place: number): Opening | null {
  const at = text.lastIndexOf('{\n', place - 2);
  return at < 1 ? null : { at, indent: text.slice(text.lastIndexOf('\n', at) + 1, at) };
}

/** Of the parent; null when that is the root. */
function outerOpening(text: string, { at, indent }: Opening): Opening | null {
  const outer = indent.slice(indentPerLevel);
  return outer === ''
    ? null
    : { at: text.lastIndexOf(`\n${outer}{\n`, at) + 1 + outer.length, indent: outer };
}

interface Part {
  readonly before: string;
  readonly now: string;
  readonly indent: string;
}

/** From the opening to the first end of a node at its level behind the change. */
function partAt(request: {
  readonly text: string;
  readonly known: KnownText;
  readonly change: Change;
  readonly open: Opening;
}): Part {
  const { text, known, change, open } = request;
  const closing = `\n${open.indent}}`;
  const end = text.indexOf(closing, text.length - change.end) + closing.length;
  const endBefore = end - text.length + known.text.length;
  const { at, indent } = open;
  return { before: known.text.slice(at, endBefore), now: text.slice(at, end), indent };
}

/** The id the node had, and its value now; null when the change is not all inside, or it is not as we would write it. */
function readBoth({ before, now, indent }: Part): { readonly id: unknown; readonly value: unknown } | null {
  const value = parseSafely(now);
  if (value === undefined || renderPart(value, indent) !== now || half.test(now)) return null;
  return { id: (parseSafely(before) as Partial<TreeNode> | undefined)?.id, value };
}

/** Halves of characters, which the full parser has words for, would be written the same way again. */
export const half = /\\ud[89a-f]/;

function parseSafely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function renderPart(value: unknown, indent: string): string {
  return JSON.stringify(value, [...nodeKeys], 2).replaceAll('\n', `\n${indent}`);
}

/** By the ids on the lines after the openings; null when one of them has a namesake beside it. */
function findPlace(request: {
  readonly text: string;
  readonly known: KnownText;
  readonly open: Opening;
  readonly id: unknown;
}): Pick<EditedNode, 'above' | 'place'> | null {
  const { text, known, open, id } = request;
  const outerIds: string[] = [];
  for (let outer = outerOpening(text, open); outer !== null; outer = outerOpening(text, outer)) {
    outerIds.unshift(idAfter(text, outer));
  }
  const above: Place[] = [];
  let parent = known.tree;
  for (const outerId of outerIds) {
    const outer = findChild(parent, outerId);
    if (outer === null) return null;
    above.push(outer);
    parent = outer.child;
  }
  const place = findChild(parent, id);
  return place === null ? null : { above, place };
}

function idAfter(text: string, { at, indent }: Opening): string {
  const start = at + '{\n'.length + indent.length + '  "id": "'.length;
  return text.slice(start, text.indexOf('"', start));
}

function findChild(parent: TreeNode, id: unknown): Place | null {
  const [child, namesake] = parent.children.filter((one) => one.id === id);
  const isOnly = child !== undefined && namesake === undefined;
  return isOnly ? { parent, at: parent.children.indexOf(child), child } : null;
}
