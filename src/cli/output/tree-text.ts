/** `runner tree` as lines and as JSON. Titles are data: they are cleaned and cut, and never begin a line. */
import type { TreeView } from '../../app/views/tree.ts';
import type { NodeRow } from '../../core/views/overview.ts';
import type { DroppedNode } from '../../core/tree/dropped.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Paint, Style } from './colour.ts';
import { renderDuration } from './duration.ts';
import { cutLine, word } from './fields.ts';
import { selectionFields } from './report.ts';

const plain: Paint = (_style, text) => text;
const marks = { passed: 'x', derived: '-', stuck: '!', retrying: '~', open: ' ' } as const;

const styles: Readonly<Record<NodeRow['state'], Style | null>> = {
  passed: 'good',
  derived: null,
  stuck: 'bad',
  retrying: 'doubtful',
  open: null,
};

/** `columns`: width of the terminal; null: lines are not cut. */
export function renderNodeLine(row: NodeRow, columns: number | null, paint: Paint = plain): string {
  const { node, depth, state, is_next, work, hidden } = row;
  const parts = [
    `${'  '.repeat(depth - 1)}[${is_next ? '>' : marks[state]}] ${node.id}`,
    state,
    ...(node.children.length > 0 ? [] : [`attempts=${node.attempts}/${node.max_attempts}`]),
    ...(work.iterations === 0
      ? []
      : [`iterations=${work.iterations}`, `time=${renderDuration(work.total_ms)}`]),
    ...(hidden === 0 ? [] : [`below=${hidden}`]),
    cleanLine(node.title),
  ];
  const line = cutLine(parts.join(' ').trimEnd(), columns);
  const style = is_next ? 'strong' : styles[state];
  // Cut before it is painted: colours take no room.
  return style === null ? line : line.replace(/\[.\] \S+ \S+/u, (head) => paint(style, head));
}

export function nodeValue(row: NodeRow): Readonly<Record<string, unknown>> {
  const { node, depth, path, state, is_next, work, hidden } = row;
  return {
    command: 'tree',
    event: 'node',
    id: node.id,
    path,
    depth,
    title: node.title,
    state,
    next: is_next,
    attempts: node.attempts,
    max_attempts: node.max_attempts,
    children: node.children.length,
    iterations: work.iterations,
    total_ms: work.total_ms,
    tokens: work.tokens,
    cost_usd: work.cost_usd,
    hidden,
  };
}

export function renderDroppedLine({ node, parent, why }: DroppedNode, columns: number | null): string {
  const line = `[/] ${cleanLine(node.id)} dropped parent=${cleanLine(parent)} ${cleanLine(node.title)} (${cleanLine(why)})`;
  return cutLine(line, columns);
}

export function droppedValue({ node, parent, why }: DroppedNode): Readonly<Record<string, unknown>> {
  const { id, title, attempts, max_attempts } = node;
  return { command: 'tree', event: 'dropped', id, parent, title, why, attempts, max_attempts };
}

export function renderTreeEnd(view: TreeView): string {
  const { run_id, progress, rows } = view;
  const { leaves, passed, retrying, stuck, nodes } = progress;
  return `tree: run=${word(run_id)} leaves=${leaves} passed=${passed} retrying=${retrying} stuck=${stuck} nodes=${nodes} shown=${rows.length}`;
}

export function treeEndValue(view: TreeView): Readonly<Record<string, unknown>> {
  const { run_id, progress, rows, selection } = view;
  return {
    command: 'tree',
    event: 'end',
    run_id,
    progress,
    next: selectionFields(selection).value,
    shown: rows.length,
  };
}
