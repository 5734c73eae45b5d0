/** Trials together: every trial is counted once, errors and skipped ones apart. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evalOutcomes, groupOf, isJudged, summariseTrials } from '../../../src/eval/report/summary.ts';
import type { CheckResult } from '../../../src/eval/cases/types.ts';
import { clusteredInterval, wilsonInterval } from '../../../src/eval/report/statistics.ts';
import { arbTrials, trialsOf, trialWith } from '../../support/trials.ts';

test('outcomes are counted, times averaged, checks told apart [ancestor: eval_report aggregates_runs]', () => {
  const check = (passed: boolean): CheckResult => ({
    type: 'runner_completed',
    label: 'runner_completed',
    passed,
    detail: passed ? null : 'it did not complete',
  });
  const trials = [
    { ...trialWith({ repeat: 1, duration_secs: 5 }), checks: [check(true)] },
    { ...trialWith({ repeat: 2, outcome: 'fail', duration_secs: 15 }), checks: [check(false)] },
  ];
  const [row] = summariseTrials(trials).cases;
  expect(row).toMatchObject({ trials: 2, rate: 0.5, outcomes: { success: 1, fail: 1, stuck: 0, error: 0 } });
  expect(row?.spreads.duration_secs?.median).toBe(10);
  expect(row?.checks).toEqual([{ label: 'runner_completed', passed: 1, total: 2 }]);
});

test('errors and skipped trials are counted and do not touch the rate', () => {
  const group = groupOf(trialsOf('a', 'SSSFXEE-'));
  expect(group).toMatchObject({
    trials: 8,
    judged: 5,
    rate: 0.6,
    interval: wilsonInterval(3, 5),
    outcomes: { success: 3, fail: 1, stuck: 1, error: 2, skipped: 1 },
    reasons: [
      { reason: 'requires_missing', trials: 1 },
      { reason: 'toolchain_missing', trials: 2 },
    ],
  });
  expect(groupOf(trialsOf('a', 'E-'))).toMatchObject({ judged: 0, rate: null, interval: null });
  expect(groupOf([trialWith({ outcome: 'error' })]).reasons).toEqual([{ reason: 'unknown', trials: 1 }]);
  expect(groupOf([])).toMatchObject({ trials: 0, rate: null, reasons: [] });
});

test('who ran out of time or crashed is judged and not solved: two of ten are 20 %', () => {
  const trials = trialsOf('a', 'SSTTTTTTTT');
  const { variants, overall } = summariseTrials([
    ...trials,
    trialWith({ repeat: 11, outcome: 'error', reason: 'start_failed' }),
  ]);
  expect(variants[0]).toMatchObject({
    judged: 10,
    rate: 0.2,
    interval: wilsonInterval(2, 10),
    failures: [{ why: 'timeout', trials: 8, results: trials.slice(2, 5).map(({ dir }) => dir) }],
    errors: [{ why: 'start_failed', trials: 1 }],
  });
  expect(overall).not.toHaveProperty('rate');
});

test('over several cases there is a second interval, that of cases that cluster', () => {
  const [one] = summariseTrials([
    ...trialsOf('a', 'SSSSS'),
    ...trialsOf('b', 'FFFFF'),
    ...trialsOf('c', 'SSFFF'),
  ]).variants;
  const counts = [5, 0, 2].map((successes) => ({ successes, trials: 5 }));
  expect(one?.clustered).toEqual(clusteredInterval(counts));
  expect(groupOf(trialsOf('a', 'SF')).clustered).toBeNull();
});

test('numbers are of judged trials, what was spent is of all, and what is not known is no number', () => {
  const group = groupOf([
    trialWith({ repeat: 1, iterations: 2, duration_secs: 10, tokens: 100, cost_usd: null }),
    trialWith({ repeat: 2, iterations: 4, duration_secs: 30, tokens: null, cost_usd: null }),
    trialWith({ repeat: 3, outcome: 'error', iterations: 90, duration_secs: 900, tokens: 7, cost_usd: 0.5 }),
  ]);
  expect(group.spreads.iterations).toMatchObject({ count: 2, median: 3 });
  expect(group.spreads.attempts).toMatchObject({ median: 1 });
  expect(group.spreads.duration_secs).toMatchObject({ min: 10, median: 20, max: 30 });
  expect(group.spreads.tokens).toMatchObject({ count: 1, median: 100 });
  expect(group.spreads.cost_usd).toBeNull();
  expect(group.spent).toEqual({ tokens: 107, cost_usd: 0.5 });
  expect(group.cost_known).toBe(1);
});

test('per case and variant, sorted, with pass@k and flaky ones', () => {
  const oracle = { kind: 'oracle', agent: null, model: null } as const;
  const { cases, variants, overall } = summariseTrials([
    ...trialsOf('b', 'SFS'),
    ...trialsOf('a', 'SSE'),
    ...trialsOf('a', 'S', { variant: oracle }),
    ...trialsOf('c', 'FX-'),
  ]);
  expect(cases.map((one) => [one.case_id, one.variant, one.is_flaky])).toEqual([
    ['a', 'codex', false],
    ['a', 'oracle', false],
    ['b', 'codex', true],
    ['c', 'codex', false],
  ]);
  expect(cases[2]?.passes.map(({ k, pass_at, cases: over }) => [k, pass_at, over])).toEqual([
    [1, 1 - 1 / 3, 1],
    [2, 1, 1],
    [3, 1, 1],
  ]);
  expect(cases[2]?.passes[1]?.pass_hat).toBeCloseTo(1 / 3, 12);
  expect(cases[2]?.checks).toEqual([
    { label: 'runner_completed', passed: 3, total: 3 },
    { label: 'file_exists(a.txt)', passed: 2, total: 3 },
  ]);
  const [own, other] = variants;
  expect(own).toMatchObject({ variant: 'codex', cases: 3, trials: 9, judged: 7 });
  // k=2: a 1, b 1, c 0; k=3: only b has three judged trials.
  expect(own?.passes.map(({ k, pass_at, cases: over }) => [k, pass_at, over])).toEqual([
    [1, expect.closeTo((1 + 2 / 3 + 0) / 3, 12), 3],
    [2, expect.closeTo(2 / 3, 12), 3],
    [3, 1, 1],
  ]);
  expect(other).toMatchObject({ variant: 'oracle', trials: 1, rate: 1 });
  expect(overall.trials).toBe(10);
});

test('a planned variant without any trial has a row, in its place, and none twice', () => {
  const { variants, cases } = summariseTrials(trialsOf('a', 'S'), ['zeta', 'codex', 'alpha', 'alpha']);
  expect(variants.map((one) => [one.variant, one.trials, one.cases, one.rate])).toEqual([
    ['alpha', 0, 0, null],
    ['codex', 1, 1, 1],
    ['zeta', 0, 0, null],
  ]);
  expect(cases).toHaveLength(1);
});

test('many repeats: k in steps that can be read', () => {
  const { cases } = summariseTrials(trialsOf('a', 'SF'.repeat(62)));
  expect(cases[0]?.passes.map(({ k }) => k)).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 124],
  ]);
});

test('nothing is lost or counted twice, whatever the order', () => {
  fc.assert(
    fc.property(arbTrials, (trials) => {
      const { overall, cases, variants } = summariseTrials(trials);
      for (const outcome of evalOutcomes) {
        const count = trials.filter(({ meta }) => meta.outcome === outcome).length;
        const sum = (groups: typeof cases | typeof variants): number =>
          groups.reduce((total, group) => total + group.outcomes[outcome], 0);
        expect([overall.outcomes[outcome], sum(cases), sum(variants)]).toEqual([count, count, count]);
      }
      expect(overall.judged).toBe(trials.filter(({ meta }) => isJudged(meta.outcome)).length);
      for (const { passes, rate } of cases) {
        expect(passes[0]?.pass_at ?? null).toEqual(rate === null ? null : expect.closeTo(rate, 9));
        for (const { pass_at, pass_hat } of passes) expect(pass_at).toBeGreaterThanOrEqual(pass_hat - 1e-12);
      }
      const numbers = ({ checks: _checks, ...rest }: (typeof cases)[number]) => rest.outcomes;
      expect(summariseTrials(trials.toReversed()).cases.map(numbers)).toEqual(cases.map(numbers));
    }),
  );
});
