/** The run state of a new run, and how a run state is rendered (§2). run-state-schema.ts decides which ones are valid. */
import type { NodeRecord, RunState } from '../types.ts';

/** The record of a node that no session has worked on yet. */
export const newNodeRecord: NodeRecord = {
  base: null,
  invalid_trees: 0,
  confirm_asked: false,
  decompose_used: false,
  tokens: null,
  cost_usd: null,
};

export const defaultRunState: RunState = {
  run_id: null,
  next_iter: 1,
  last_status: null,
  last_summary: null,
  last_guard: null,
  failures_in_a_row: 0,
  judged_sessions: 0,
  totals: { tokens: null, cost_usd: null, seconds: 0 },
  guard_baseline: null,
  guard_checkout: null,
  base_branch: null,
  base_commit: null,
  goal_sha256: null,
  resolved: null,
  repair: null,
  ratchet: null,
  nodes: withoutPrototype({}),
};

/** `constructor` is a valid node id: looking it up must not find what every object inherits. */
export function withoutPrototype<T extends object>(nodes: T): T {
  return Object.assign<T, T>(Object.create(null) as T, nodes);
}

/** Keys in the documented order, nodes sorted by id (an object would put ids that look like numbers first). */
export function renderRunState(state: RunState): string {
  const { nodes, ...rest } = {
    run_id: state.run_id,
    next_iter: state.next_iter,
    last_status: state.last_status,
    last_summary: state.last_summary,
    last_guard: state.last_guard,
    failures_in_a_row: state.failures_in_a_row,
    judged_sessions: state.judged_sessions,
    totals: { tokens: state.totals.tokens, cost_usd: state.totals.cost_usd, seconds: state.totals.seconds },
    guard_baseline: state.guard_baseline,
    guard_checkout: state.guard_checkout && {
      mode: state.guard_checkout.mode,
      reason: state.guard_checkout.reason,
      sha256: state.guard_checkout.sha256,
    },
    base_branch: state.base_branch,
    base_commit: state.base_commit,
    goal_sha256: state.goal_sha256,
    resolved: state.resolved && {
      permissions: state.resolved.permissions,
      sandbox: state.resolved.sandbox,
      guard: state.resolved.guard,
      guard_network: state.resolved.guard_network,
    },
    repair: state.repair && {
      node_id: state.repair.node_id,
      count: state.repair.count,
      sha256: state.repair.sha256,
    },
    ratchet: state.ratchet && {
      guard_sha256: state.ratchet.guard_sha256,
      files: state.ratchet.files.map(({ path, mode, oid, scripts }) => ({ path, mode, oid, scripts })),
    },
    nodes: state.nodes,
  };
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  return `${head},\n  "nodes": ${renderNodes(nodes)}\n}\n`;
}

function renderNodes(nodes: RunState['nodes']): string {
  const entries = Object.entries(nodes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return '{}';
  const lines = entries.map(([id, record]) => {
    const text = JSON.stringify(
      {
        base: record.base,
        invalid_trees: record.invalid_trees,
        confirm_asked: record.confirm_asked,
        decompose_used: record.decompose_used,
        tokens: record.tokens,
        cost_usd: record.cost_usd,
      },
      null,
      2,
    );
    return `    ${JSON.stringify(id)}: ${text.replaceAll('\n', '\n    ')}`;
  });
  return `{\n${lines.join(',\n')}\n  }`;
}
