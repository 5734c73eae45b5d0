/** What was spent on every node of a tree, with all below it: iterations, time, tokens, cost. Pure and linear. */
import { addSpent } from '../../core/agents/usage.ts';
import type { Spent } from '../../core/agents/usage.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import type { IterationRow } from '../../core/views/web-api.ts';
import { renderCount, renderDollars, renderMs } from '../format.ts';

export interface NodeSum extends Spent {
  readonly iterations: number;
  readonly ms: number;
}

export type TreeWork = ReadonlyMap<string, NodeSum>;

const none: NodeSum = { iterations: 0, ms: 0, tokens: null, cost_usd: null };

function plus(a: NodeSum, b: NodeSum): NodeSum {
  return { iterations: a.iterations + b.iterations, ms: a.ms + b.ms, ...addSpent(a, b) };
}

export function sumWork(tree: TreeNode, rows: readonly IterationRow[]): TreeWork {
  const sums = new Map<string, NodeSum>();
  // What the open one takes is known when it ends.
  for (const { node_id, duration_ms, tokens, cost_usd } of rows.filter(({ is_complete }) => is_complete)) {
    const own = { iterations: 1, ms: duration_ms?.total ?? 0, tokens, cost_usd };
    if (node_id !== null) sums.set(node_id, plus(sums.get(node_id) ?? none, own));
  }
  // Children come after their parents, so from the end every sum is whole before it is added.
  for (const { node, parent } of walkTree(tree).toReversed()) {
    const own = sums.get(node.id);
    if (parent !== null && own !== undefined) sums.set(parent.id, plus(sums.get(parent.id) ?? none, own));
  }
  return sums;
}

/** `2/3 · 4m 10s · $0.12`; empty: nothing was tried. */
export function renderWork(node: TreeNode, work: TreeWork): string {
  const sum = work.get(node.id);
  const isLeaf = node.children.length === 0;
  const parts = [
    ...(isLeaf && !node.passes && node.attempts > 0 ? [`${node.attempts}/${node.max_attempts}`] : []),
    ...(sum === undefined || sum.ms === 0 ? [] : [renderMs(sum.ms)]),
    ...(sum?.cost_usd === null || sum === undefined ? [] : [renderDollars(sum.cost_usd)]),
  ];
  return parts.join(' · ');
}

/** Of a leaf that is open: what a pass took is in the list of what was tried. */
export function renderAttempts({ attempts, max_attempts, passes, children }: TreeNode): string {
  if (children.length > 0 || passes) return '';
  return `${attempts} of ${max_attempts} attempts used`;
}

/** The same in words, for the node that is looked at. */
export function describeWork(work: NodeSum | undefined): string {
  if (work === undefined) return 'no iteration has ended yet';
  const { iterations, ms, tokens, cost_usd } = work;
  return [
    `${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`,
    ...(ms === 0 ? [] : [renderMs(ms)]),
    ...(tokens === null ? [] : [`${renderCount(tokens)} tokens`]),
    ...(cost_usd === null ? [] : [renderDollars(cost_usd)]),
  ].join(' · ');
}
