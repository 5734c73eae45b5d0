import { expect, test } from 'vitest';

import { defaultRunState, newNodeRecord, renderRunState } from '../../src/core/run-state.ts';
import type { RunState } from '../../src/core/types.ts';

const full: RunState = {
  run_id: 'r1',
  next_iter: 7,
  last_status: 'done',
  last_summary: 'ünï "x"\n',
  last_guard: 'fail',
  failures_in_a_row: 2,
  judged_sessions: 5,
  totals: { tokens: 12, cost_usd: 0.25, seconds: 3.5 },
  guard_baseline: 'red',
  repair: { node_id: 'a', count: 1, sha256: 'ff' },
  nodes: {
    b: { ...newNodeRecord, decompose_used: true },
    a: {
      base: 'abc',
      invalid_trees: 2,
      confirm_asked: true,
      decompose_used: false,
      tokens: 7,
      cost_usd: 0.5,
    },
    '10': { ...newNodeRecord, base: 'x', tokens: 0 },
    '9': { ...newNodeRecord, base: 'y', cost_usd: 0 },
  },
};

test('[ancestor: run_state run_state_defaults_are_deterministic] exact bytes of the defaults', () => {
  expect(renderRunState(defaultRunState)).toBe(`{
  "run_id": null,
  "next_iter": 1,
  "last_status": null,
  "last_summary": null,
  "last_guard": null,
  "failures_in_a_row": 0,
  "judged_sessions": 0,
  "totals": {
    "tokens": null,
    "cost_usd": null,
    "seconds": 0
  },
  "guard_baseline": null,
  "repair": null,
  "nodes": {}
}
`);
});

test('key order in memory does not change the bytes', () => {
  const reversed = (value: object): object =>
    Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, item]) => [
          key,
          typeof item === 'object' && item !== null ? reversed(item as object) : item,
        ]),
    );
  expect(renderRunState(reversed(full) as RunState)).toBe(renderRunState(full));
});
