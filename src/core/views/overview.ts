/**
 * Overview of a run: progress of the tree, state of every node, what was spent on it, which limits are left. Computed from
 * tree, settings and records alone; it knows no terminal and no page.
 */
import { isStuck } from '../tree/selector.ts';
import type { IterationMeta, JournalEntry } from '../agents/session.ts';
import { walkTree } from '../tree/tree-walk.ts';
import type { Config, RunState, Selection, TreeNode } from '../types.ts';
import { addSpent } from '../agents/usage.ts';
import type { Spent } from '../agents/usage.ts';

/** `derived`: an open node with children, which passes with them. `retrying`: an open leaf that has used attempts. */
export type NodeState = 'passed' | 'derived' | 'stuck' | 'retrying' | 'open';

export function stateOf(node: TreeNode): NodeState {
  if (node.passes) return 'passed';
  if (node.children.length > 0) return 'derived';
  if (isStuck(node)) return 'stuck';
  return node.attempts > 0 ? 'retrying' : 'open';
}

/** Leaves by state, and all nodes. */
export interface Progress {
  readonly nodes: number;
  readonly leaves: number;
  readonly passed: number;
  readonly retrying: number;
  readonly stuck: number;
}

export function progressOf(tree: TreeNode): Progress {
  const visits = walkTree(tree);
  const leaves = visits.filter(({ node }) => node.children.length === 0);
  const count = (state: NodeState): number => leaves.filter(({ node }) => stateOf(node) === state).length;
  return {
    nodes: visits.length,
    leaves: leaves.length,
    passed: count('passed'),
    retrying: count('retrying'),
    stuck: count('stuck'),
  };
}

/** What the iterations on one node took; total is from begin to end, waits included. */
export interface NodeWork extends Spent {
  readonly iterations: number;
  readonly total_ms: number;
}

const noWork: NodeWork = { iterations: 0, total_ms: 0, tokens: null, cost_usd: null };

export function workByNode(records: readonly IterationMeta[]): ReadonlyMap<string, NodeWork> {
  const work = new Map<string, NodeWork>();
  for (const record of records) {
    const { iterations, total_ms, ...spent } = work.get(record.node_id) ?? noWork;
    work.set(record.node_id, {
      iterations: iterations + 1,
      total_ms: total_ms + record.duration_ms.total,
      ...addSpent(spent, record),
    });
  }
  return work;
}

export interface NodeRow {
  readonly node: TreeNode;
  /** The root has depth 1. */
  readonly depth: number;
  readonly path: string;
  readonly state: NodeState;
  readonly is_next: boolean;
  readonly work: NodeWork;
  /** Nodes below it that are deeper than asked for. */
  readonly hidden: number;
}

export interface RowsInput {
  readonly tree: TreeNode;
  readonly selection: Selection;
  readonly work: ReadonlyMap<string, NodeWork>;
  /** Null: all levels. */
  readonly depthMax: number | null;
  /** True: nothing that has passed. */
  readonly isOpenOnly: boolean;
}

/** Parents before children. Below a passed node everything has passed (§3), so nothing open is left out. */
export function listRows({ tree, selection, work, depthMax, isOpenOnly }: RowsInput): readonly NodeRow[] {
  const nextId = selection.kind === 'leaf' ? selection.leaf.node.id : null;
  const rows: (NodeRow & { hidden: number })[] = [];
  for (const { node, depth, path } of walkTree(tree)) {
    if (isOpenOnly && node.passes) continue;
    const above = rows.at(-1);
    if (above !== undefined && depthMax !== null && depth > depthMax) {
      above.hidden += 1;
      continue;
    }
    rows.push({
      node,
      depth,
      path,
      state: stateOf(node),
      is_next: node.id === nextId,
      work: work.get(node.id) ?? noWork,
      hidden: 0,
    });
  }
  return rows;
}

/** Null: not known (`used`), no limit (`max`). */
export interface LimitUse {
  readonly used: number | null;
  readonly max: number | null;
}

export interface LimitsUse {
  readonly iterations: LimitUse;
  readonly seconds: LimitUse;
  readonly tokens: LimitUse;
  readonly cost_usd: LimitUse;
}

export function limitsOf(runState: RunState, config: Config): LimitsUse {
  const { totals } = runState;
  const { limits } = config;
  return {
    iterations: { used: runState.next_iter - 1, max: config.max_iterations },
    seconds: { used: totals.seconds, max: limits.max_run_secs },
    tokens: { used: totals.tokens, max: limits.max_tokens },
    cost_usd: { used: totals.cost_usd, max: limits.max_cost_usd },
  };
}

/** An iteration that is under way, or that a crash left open: what the journal says of it. */
export type OpenIteration = Pick<
  JournalEntry,
  'run_id' | 'iter' | 'node_id' | 'node_path' | 'purpose' | 'phase' | 'started_at'
>;

export function openIterationOf(entry: JournalEntry): OpenIteration {
  const { run_id, iter, node_id, node_path, purpose, phase, started_at } = entry;
  return { run_id, iter, node_id, node_path, purpose, phase, started_at };
}
