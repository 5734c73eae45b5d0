/** The whole tree at a glance (§6): one line a node, bounded, the selected node marked and always inside the window. */
import { cleanLine } from '../text/terminal-text.ts';
import type { Visit } from '../tree/tree-walk.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { TreeNode } from '../types.ts';

interface TreeSummaryInput {
  readonly tree: TreeNode;
  readonly selectedId: string | null;
}

/** Two lines of the 300 are kept for the counts of what is left out above and below. */
const nodeLinesMax = 298;

interface Entry {
  readonly visit: Visit;
  /** Nodes below a passed node, which share its line. */
  readonly folded: number;
}

export function renderTreeSummary({ tree, selectedId }: TreeSummaryInput): string {
  const entries = foldPassed(walkTree(tree));
  const selected = entries.findIndex((entry) => entry.visit.node.id === selectedId);
  const centred = selected - Math.floor(nodeLinesMax / 2);
  const start = Math.max(0, Math.min(centred, entries.length - nodeLinesMax));
  const end = start + nodeLinesMax;
  return [
    ...renderLeftOut(entries.slice(0, start), 'above'),
    ...entries.slice(start, end).map((entry) => renderEntry(entry, selectedId)),
    ...renderLeftOut(entries.slice(end), 'below'),
  ].join('\n');
}

/** Everything below a passed node has passed too (§3), so its count says enough. */
function foldPassed(visits: readonly Visit[]): Entry[] {
  const entries: { visit: Visit; folded: number }[] = [];
  let passed: { visit: Visit; folded: number } | null = null;
  for (const visit of visits) {
    if (passed !== null && visit.depth > passed.visit.depth) {
      passed.folded += 1;
      continue;
    }
    const entry = { visit, folded: 0 };
    entries.push(entry);
    passed = visit.node.passes ? entry : null;
  }
  return entries;
}

function renderEntry({ visit, folded }: Entry, selectedId: string | null): string {
  const { node, depth } = visit;
  const parts = [
    `${'  '.repeat(depth - 1)}[${node.passes ? 'x' : ' '}] ${node.id}: ${cleanLine(node.title)}`,
    `(attempts ${node.attempts}/${node.max_attempts})`,
    ...(folded > 0 ? [`(${countNodes(folded)} below, passed)`] : []),
    ...(node.id === selectedId ? ['<== current node'] : []),
  ];
  return parts.join(' ');
}

function renderLeftOut(entries: readonly Entry[], where: 'above' | 'below'): string[] {
  const nodes = entries.reduce((sum, entry) => sum + 1 + entry.folded, 0);
  return nodes === 0 ? [] : [`[… ${countNodes(nodes)} ${where} left out …]`];
}

function countNodes(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}
