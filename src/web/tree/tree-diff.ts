/** Compares two trees node by node: by id, in the order of the new tree, with removed nodes at their old position. Pure. */
import { indexTree, walkTree } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

export interface TreeDiffRow {
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  readonly kind: 'added' | 'removed' | 'changed' | 'same';
  readonly changes: readonly FieldChange[];
}

const fields = ['title', 'goal', 'acceptance', 'passes', 'attempts', 'max_attempts', 'order'] as const;

export function diffTrees(before: TreeNode, after: TreeNode): readonly TreeDiffRow[] {
  const old = indexTree(before);
  const now = indexTree(after);
  const rows: TreeDiffRow[] = [];
  for (const { node, parent, depth } of walkTree(after)) {
    const was = old.get(node.id);
    const changes = was === undefined ? [] : compareNodes(was, { node, parent });
    const kind = was === undefined ? 'added' : changes.length > 0 ? 'changed' : 'same';
    rows.push({ id: node.id, title: node.title, depth, kind, changes });
  }
  for (const { node, parent } of walkTree(before)) {
    if (now.has(node.id)) continue;
    const above = parent === null ? -1 : rows.findIndex(({ id }) => id === parent.id);
    // Its parent may have moved.
    const depth = (rows[above]?.depth ?? 0) + 1;
    const row: TreeDiffRow = { id: node.id, title: node.title, depth, kind: 'removed', changes: [] };
    rows.splice(above === -1 ? rows.length : endOfPart(rows, above), 0, row);
  }
  return rows;
}

/** Behind everything that is below the row. */
function endOfPart(rows: readonly TreeDiffRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  const next = rows.findIndex((row, index) => index > at && row.depth <= depth);
  return next === -1 ? rows.length : next;
}

interface Placed {
  readonly node: TreeNode;
  readonly parent: TreeNode | null;
}

function compareNodes(was: Placed, is: Placed): readonly FieldChange[] {
  const changes = fields.flatMap((field) => {
    const before = render(was.node[field]);
    const after = render(is.node[field]);
    return before === after ? [] : [{ field, before, after }];
  });
  const [from, to] = [was.parent?.id ?? '', is.parent?.id ?? ''];
  return from === to ? changes : [...changes, { field: 'parent', before: from, after: to }];
}

function render(value: string | number | boolean | readonly string[]): string {
  return typeof value === 'object' ? value.map((line) => `- ${line}`).join('\n') : String(value);
}

/** Changed rows and the nodes above them: going backwards, the first row that is less deep than a kept one is its parent. */
export function onlyChanged(rows: readonly TreeDiffRow[]): readonly TreeDiffRow[] {
  const kept: TreeDiffRow[] = [];
  let depth = 0;
  for (const row of rows.toReversed()) {
    if (row.kind === 'same' && row.depth >= depth) continue;
    kept.push(row);
    depth = row.depth;
  }
  return kept.toReversed();
}
