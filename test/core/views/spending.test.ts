import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planSpending, renderSpending } from '../../../src/core/views/spending.ts';
import { configWith, runStateWith } from '../../support/facts.ts';
import { arbTree, node } from '../../support/trees.ts';

const tree = node('root', {
  children: [node('a', { attempts: 1 }), node('b', { order: 1 }), node('c', { order: 2, passes: true })],
});

test('limits, attempts, and what sessions took so far', () => {
  const config = configWith({
    max_iterations: 10,
    iteration_timeout_secs: 600,
    guard: { policy: 'open', checkout: 'off' },
  });
  const runState = runStateWith({ next_iter: 5, totals: { tokens: 400, cost_usd: null, seconds: 800 } });
  const plan = planSpending({ tree, runState, config });
  expect(plan).toEqual({
    open_leaves: 2,
    attempts: 5,
    iterations: 6,
    seconds: 3600,
    tokens: null,
    cost_usd: null,
    expected: { seconds: 400, tokens: 200 },
  });
  expect(renderSpending(plan)).toBe(
    'at most 6 iterations, 1.0 h without waits; 2 open leaves with 5 attempts; about 7 min and 200 tokens if each takes one session like those before',
  );
});

test('every limit, and each further check has a time of its own', () => {
  const config = configWith({
    max_iterations: 2,
    iteration_timeout_secs: 100,
    guard: { policy: 'ratchet', checkout: 'every', counterfactual: 'record', timeout_secs: 10 },
    automation: { setup: ['npm ci'], setup_timeout_secs: 5 },
    limits: { max_run_secs: 50, max_tokens: 1000, max_cost_usd: 2 },
  });
  const one = node('root', { max_attempts: 1 });
  const plan = planSpending({ tree: one, runState: runStateWith({ next_iter: 2 }), config });
  // 100 + 4 further runs of 10 + 3 clones with one setup of 5; the limit of 50 is looked at before an iteration.
  expect(plan).toMatchObject({
    iterations: 1,
    seconds: 155,
    tokens: 1000,
    cost_usd: 2,
    expected: { seconds: 0, tokens: null },
  });
  expect(renderSpending({ ...plan, expected: { seconds: null, tokens: null } })).toBe(
    'at most 1 iteration, 3 min without waits, 1000 tokens, $2.00; 1 open leaf with 1 attempt',
  );
  const used = planSpending({
    tree: one,
    runState: runStateWith({ next_iter: 2, totals: { tokens: 1500, cost_usd: 3, seconds: 60 } }),
    config,
  });
  expect(used).toMatchObject({ seconds: 0, tokens: 0, cost_usd: 0 });
});

test('a complete run uses nothing more, a repair does', () => {
  const complete = node('root', { passes: true });
  const repair = { node_id: 'root', count: 0, sha256: '' };
  const config = configWith();
  expect(planSpending({ tree: complete, runState: runStateWith(), config })).toMatchObject({
    iterations: 0,
    seconds: 0,
    tokens: 0,
    cost_usd: 0,
  });
  expect(planSpending({ tree: complete, runState: runStateWith({ repair }), config }).iterations).toBe(50);
});

test('never more than the limits leave', () => {
  fc.assert(
    fc.property(
      arbTree(),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 60 }),
      (some, next_iter, max_iterations) => {
        const plan = planSpending({
          tree: some,
          runState: runStateWith({ next_iter }),
          config: configWith({ max_iterations }),
        });
        expect(plan.iterations).toBeLessThanOrEqual(Math.max(0, max_iterations - next_iter + 1));
        expect(plan.seconds).toBeGreaterThanOrEqual(0);
        expect(renderSpending(plan)).not.toMatch(/NaN|Infinity|undefined/u);
      },
    ),
  );
});
