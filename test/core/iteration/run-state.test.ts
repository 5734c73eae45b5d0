import { expect, test } from 'vitest';

import { defaultRunState, renderRunState } from '../../../src/core/iteration/run-state.ts';
import type { RunState } from '../../../src/core/types.ts';
import { fullRunState as full } from '../../support/facts.ts';

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
  "guard_checkout": null,
  "base_branch": null,
  "base_commit": null,
  "goal_sha256": null,
  "resolved": null,
  "repair": null,
  "ratchet": null,
  "nodes": {}
}
`);
});

test('key order in memory does not change the bytes', () => {
  const reversed = (value: object): object => {
    // A list keeps its order; what is in it need not.
    if (Array.isArray(value))
      return value.map((item) => (typeof item === 'object' ? reversed(item as object) : item)) as object;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, item]) => [
          key,
          typeof item === 'object' && item !== null ? reversed(item as object) : item,
        ]),
    );
  };
  expect(renderRunState(reversed(full) as RunState)).toBe(renderRunState(full));
});
