/** Records of iterations for tests: whole and harmless, `fields` replaces what a test cares about. */
import type { IterationMeta } from '../../src/core/agents/session.ts';

export function metaWith(fields: Partial<IterationMeta> = {}): IterationMeta {
  return {
    run_id: 'demo',
    iter: 2,
    node_id: 'root.1',
    node_path: 'root/root.1',
    mode: 'execute',
    status: 'done',
    guard: 'fail',
    outcome: 'guard-fail',
    agent: { name: 'codex', version: '0.98.0', model: null },
    review: null,
    started_at: '2026-11-16T06:00:00.000Z',
    ended_at: '2026-11-16T06:01:02.500Z',
    duration_ms: { agent: 61_402, guard: 596, review: 0, total: 62_500 },
    tokens: 15_204,
    cost_usd: null,
    totals: { node: { tokens: 15_204, cost_usd: null }, run: { tokens: 61_733, cost_usd: null } },
    failure: null,
    sessions: 1,
    waited_secs: 0,
    rings: { sandbox: 'none', settings: true, checkout: 'off' },
    counterfactual: null,
    exit_codes: { agent: 0, guard: 1 },
    tree_sha256: { before: 'a', after: 'b' },
    commit: '5b9ff14a0bc31378494454600f5afd181bef097f',
    changed_files: 1,
    tool_files: [],
    processes: 'group+cookie',
    notes: [],
    recovered: false,
    ...fields,
  };
}
