import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderRunState } from '../../../src/core/iteration/run-state.ts';
import { parseRunState } from '../../../src/core/iteration/run-state-schema.ts';
import type { Usage } from '../../../src/core/agents/session.ts';
import type { Config } from '../../../src/core/types.ts';
import type { LimitReached, Spent } from '../../../src/core/agents/usage.ts';
import {
  addSpent,
  addUsage,
  reachedLimit,
  spentOf,
  tokensOf,
  totalsAfter,
  unknownUsage,
} from '../../../src/core/agents/usage.ts';
import { recordWith, runStateWith, usageWith } from '../../support/facts.ts';

const arbTokens = fc.option(fc.nat());
const arbCost = fc.option(fc.nat().map((millionths) => millionths / 1e6));
const arbUsage: fc.Arbitrary<Usage> = fc.record({
  input_tokens: arbTokens,
  cached_input_tokens: arbTokens,
  output_tokens: arbTokens,
  cost_usd: arbCost,
});
const arbSpent: fc.Arbitrary<Spent> = fc.record({ tokens: arbTokens, cost_usd: arbCost });
const unknownSpent: Spent = { tokens: null, cost_usd: null };

describe('what is unknown stays unknown', () => {
  test('nothing reported is not nothing used', () => {
    expect(addUsage(unknownUsage, unknownUsage)).toEqual(unknownUsage);
    expect(tokensOf(unknownUsage)).toBeNull();
    expect(spentOf(unknownUsage)).toEqual(unknownSpent);
    expect(spentOf(usageWith({ input_tokens: 0, cost_usd: 0 }))).toEqual({ tokens: 0, cost_usd: 0 });
  });

  test('a sum holds what was reported', () => {
    expect(
      addUsage(
        usageWith({ input_tokens: 5, cost_usd: 0.5 }),
        usageWith({ input_tokens: 7, output_tokens: 2 }),
      ),
    ).toEqual({ input_tokens: 12, cached_input_tokens: null, output_tokens: 2, cost_usd: 0.5 });
  });

  test('tokens are input and output; what came from a cache is part of the input', () => {
    expect(tokensOf({ input_tokens: 10, cached_input_tokens: 8, output_tokens: 3, cost_usd: null })).toBe(13);
    expect(tokensOf(usageWith({ output_tokens: 3 }))).toBe(3);
    expect(tokensOf(usageWith({ cached_input_tokens: 8 }))).toBeNull();
  });

  test('dollars are added in millionths', () => {
    expect(addSpent({ tokens: 1, cost_usd: 0.1 }, { tokens: 2, cost_usd: 0.2 })).toEqual({
      tokens: 3,
      cost_usd: 0.3,
    });
    expect(addUsage(usageWith({ cost_usd: 0.1 }), usageWith({ cost_usd: 0.2 })).cost_usd).toBe(0.3);
  });
});

describe('sums do not depend on how they are made', () => {
  test('of usage', () => {
    fc.assert(
      fc.property(arbUsage, arbUsage, arbUsage, (a, b, c) => {
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(a, unknownUsage)).toEqual(a);
      }),
    );
  });

  test('of what was spent', () => {
    fc.assert(
      fc.property(arbSpent, arbSpent, arbSpent, (a, b, c) => {
        expect(addSpent(addSpent(a, b), c)).toEqual(addSpent(a, addSpent(b, c)));
        expect(addSpent(a, b)).toEqual(addSpent(b, a));
        expect(addSpent(a, unknownSpent)).toEqual(a);
      }),
    );
  });

  test('tokens of a sum are the sum of the tokens', () => {
    fc.assert(
      fc.property(arbUsage, arbUsage, (a, b) => {
        expect(spentOf(addUsage(a, b))).toEqual(addSpent(spentOf(a), spentOf(b)));
      }),
    );
  });
});

test('whatever is reported, the run state that holds the sums can be read again', () => {
  const arbAny = fc.option(
    fc.oneof(fc.double({ min: 0, noNaN: true }), fc.constantFrom(1e-7, 1.5, 2 ** 53, 1e300)),
  );
  const arbWild: fc.Arbitrary<Usage> = fc.record({
    input_tokens: arbAny,
    cached_input_tokens: arbAny,
    output_tokens: arbAny,
    cost_usd: arbAny,
  });
  fc.assert(
    fc.property(fc.array(arbWild, { minLength: 1, maxLength: 4 }), (reports) => {
      const usage = reports.reduce(addUsage, unknownUsage);
      const totals = totalsAfter({ ...unknownSpent, seconds: 0 }, { usage, seconds: 1 });
      const nodes = { a: recordWith(addSpent(unknownSpent, spentOf(usage))) };
      const state = runStateWith({ totals, nodes });
      expect(parseRunState(renderRunState(state))).toEqual({ ok: true, state });
    }),
  );
});

describe('limits of the run (§9)', () => {
  const off: Config['limits'] = { max_run_secs: null, max_tokens: null, max_cost_usd: null };
  const totals = { tokens: 1000, cost_usd: 2.5, seconds: 60 };

  test.each<[Partial<Config['limits']>, LimitReached | null]>([
    [{}, null],
    [{ max_run_secs: 61, max_tokens: 1001, max_cost_usd: 2.500001 }, null],
    [{ max_run_secs: 60 }, { limit: 'max_run_secs', used: 60, max: 60 }],
    [{ max_tokens: 1000 }, { limit: 'max_tokens', used: 1000, max: 1000 }],
    [{ max_tokens: 999 }, { limit: 'max_tokens', used: 1000, max: 999 }],
    [{ max_cost_usd: 2.5 }, { limit: 'max_cost_usd', used: 2.5, max: 2.5 }],
    [
      { max_run_secs: 1, max_tokens: 1, max_cost_usd: 1 },
      { limit: 'max_run_secs', used: 60, max: 1 },
    ],
    [
      { max_tokens: 1, max_cost_usd: 1 },
      { limit: 'max_tokens', used: 1000, max: 1 },
    ],
    [
      { max_run_secs: 100, max_cost_usd: 1 },
      { limit: 'max_cost_usd', used: 2.5, max: 1 },
    ],
  ])('%j: the first that is reached', (limits, expected) => {
    expect(reachedLimit({ ...off, ...limits }, totals)).toEqual(expected);
  });

  test('what is unknown reaches none', () => {
    const limits = { max_run_secs: 1, max_tokens: 1, max_cost_usd: 0.01 };
    expect(reachedLimit(limits, { tokens: null, cost_usd: null, seconds: 0 })).toBeNull();
  });

  test('totals only grow, and a limit once reached stays reached', () => {
    const arbIteration = fc.record({
      usage: arbUsage,
      seconds: fc.nat({ max: 10_000_000 }).map((ms) => ms / 1000),
    });
    const arbLimits: fc.Arbitrary<Config['limits']> = fc.record({
      max_run_secs: fc.option(fc.integer({ min: 1, max: 50_000 })),
      max_tokens: fc.option(fc.integer({ min: 1 })),
      max_cost_usd: fc.option(fc.integer({ min: 1, max: 3000 })),
    });
    fc.assert(
      fc.property(fc.array(arbIteration, { maxLength: 10 }), arbLimits, (iterations, limits) => {
        let now = { tokens: null as number | null, cost_usd: null as number | null, seconds: 0 };
        for (const iteration of iterations) {
          const next = totalsAfter(now, iteration);
          expect(next.tokens ?? -1).toBeGreaterThanOrEqual(now.tokens ?? -1);
          expect(next.cost_usd ?? -1).toBeGreaterThanOrEqual(now.cost_usd ?? -1);
          // In whole milliseconds: none is lost, and no sum grows a tail of digits.
          const ms = Math.round(now.seconds * 1000) + Math.round(iteration.seconds * 1000);
          expect(next.seconds).toBe(ms / 1000);
          if (reachedLimit(limits, now) !== null) expect(reachedLimit(limits, next)).not.toBeNull();
          now = next;
        }
        const spent = iterations.map(({ usage }) => spentOf(usage)).reduce(addSpent, unknownSpent);
        expect(now).toMatchObject(spent);
      }),
    );
  });
});
