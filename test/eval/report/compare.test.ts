/** Two sets of trials: pairs, flips, the test, and what was left out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTrials } from '../../../src/eval/report/compare.ts';
import { isJudged } from '../../../src/eval/report/summary.ts';
import { exactMcNemar, exactSignFlip } from '../../../src/eval/report/statistics.ts';
import type { TrialRecord } from '../../../src/eval/cases/types.ts';
import { drawFrom } from '../../support/draws.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

const side = (name: string, ...trials: readonly TrialRecord[]) => ({ name, trials, missing: 0 });

function flip(case_id: string, repeat: number) {
  const { dir } = trialWith({ case_id, repeat });
  const logs = ['runner.loop.log', 'runner.start.log'];
  return { repeat, results_a: dir, results_b: dir, why: 'file_exists(a.txt)', logs };
}

test('flips per case, the test over all pairs, medians of both', () => {
  const seen = compareTrials(
    side('old', ...trialsOf('b', 'SSFF'), ...trialsOf('a', 'FFF', { duration_secs: 60 })),
    side('new', ...trialsOf('b', 'SFSS'), ...trialsOf('a', 'SSX', { duration_secs: 20 })),
  );
  expect(seen.pairs).toEqual({
    total: 7,
    both: 1,
    only_a: 1,
    only_b: 4,
    neither: 1,
    cases: 2,
    cases_flipped: 2,
    p_cases: exactSignFlip([2, 1]),
  });
  expect(seen.p).toBe(exactMcNemar(1, 4));
  expect(seen.cases).toEqual([
    {
      case_id: 'a',
      pairs: 3,
      success_a: 0,
      success_b: 2,
      gained: [1, 2],
      lost: [],
      flips: [1, 2].map((repeat) => ({ ...flip('a', repeat), solved_in: 'b' })),
    },
    {
      case_id: 'b',
      pairs: 4,
      success_a: 2,
      success_b: 3,
      gained: [3, 4],
      lost: [2],
      flips: [2, 3, 4].map((repeat) => ({ ...flip('b', repeat), solved_in: repeat === 2 ? 'a' : 'b' })),
    },
  ]);
  expect(seen).toMatchObject({ verdict: 'noise', ahead: 'b', pairs_needed: 15, left_out: [] });
  expect(seen.sentence).toContain('within noise');
  expect(seen.medians.find(({ name }) => name === 'duration_secs')).toEqual({
    name: 'duration_secs',
    a: 30,
    b: 30,
  });
  expect(seen.a).toMatchObject({ name: 'old', trials: 7, judged: 7 });
  expect(compareTrials(side('x', ...trialsOf('a', '-')), side('y')).medians[0]).toMatchObject({
    a: null,
    b: null,
  });
});

test('what does not count is named, each with its reason', () => {
  const seen = compareTrials(
    side(
      'old',
      ...trialsOf('a', 'SE-S'),
      ...trialsOf('only-a', 'S'),
      trialWith({ case_id: 'a', repeat: 4, outcome: 'fail', end_time: '2030-01-01T00:00:00.000Z' }),
    ),
    side(
      'new',
      ...trialsOf('a', 'SE?F'),
      trialWith({ case_id: 'b', repeat: 12 }),
      trialWith({ case_id: 'b', repeat: 2 }),
    ),
  );
  expect(seen.left_out).toEqual([
    { case_id: 'a', repeat: 2, why: 'error in A (toolchain_missing), error in B (toolchain_missing)' },
    { case_id: 'a', repeat: 3, why: 'skipped in A (requires_missing), error in B' },
    { case_id: 'a', repeat: 4, why: 'recorded more than once in old; the last one counts' },
    { case_id: 'b', repeat: 2, why: 'not run in A' },
    { case_id: 'b', repeat: 12, why: 'not run in A' },
    { case_id: 'only-a', repeat: 1, why: 'not run in B' },
  ]);
  expect(seen.pairs).toEqual({
    total: 2,
    both: 1,
    only_a: 0,
    only_b: 0,
    neither: 1,
    cases: 1,
    cases_flipped: 0,
    p_cases: 1,
  });
});

test('nothing in common', () => {
  const seen = compareTrials(side('x'), side('y', ...trialsOf('a', 'S')));
  expect(seen).toMatchObject({ verdict: 'no pairs', p: 1, ahead: null, pairs_needed: null, cases: [] });
});

test('ten flips of one case are a difference of this case, and the sentence does not call a side better', () => {
  const others = ['b', 'c', 'd'].flatMap((case_id) => trialsOf(case_id, 'SF'));
  const of = (letter: string) => [...trialsOf('a', letter.repeat(10)), ...others];
  const seen = compareTrials(side('old', ...of('F')), side('new', ...of('S')));
  expect(seen).toMatchObject({
    verdict: 'difference',
    ahead: 'b',
    pairs: { only_b: 10, cases: 4, cases_flipped: 1, p_cases: 1 },
  });
  expect(seen.p).toBeCloseTo(0.002, 4);
  expect(seen.sentence).not.toContain('is better');
  expect(seen.sentence).toContain('rests on too few cases');
  const spread = (letter: string) => 'abcdefghij'.split('').flatMap((case_id) => trialsOf(case_id, letter));
  const wide = compareTrials(side('old', ...spread('F')), side('new', ...spread('S')));
  expect(wide.pairs.p_cases).toBeCloseTo(wide.p, 12);
  expect(wide.sentence).toContain('B (new) is better');
});

test('the logs of a flip are of the side that did not succeed', () => {
  const [good] = trialsOf('a', 'S');
  const bad = {
    ...trialWith({ case_id: 'a', outcome: 'fail', reason: 'timeout' }),
    dir: 'x',
    logs: ['setup.1.log'],
  };
  const [one] = compareTrials(side('old', ...trialsOf('a', 'S')), side('new', bad)).cases;
  const told = { repeat: 1, why: 'timeout', logs: ['setup.1.log'] };
  expect(one?.flips).toEqual([{ ...told, solved_in: 'a', results_a: good?.dir, results_b: 'x' }]);
  const [turned] = compareTrials(side('old', bad), side('new', ...trialsOf('a', 'S'))).cases;
  expect(turned?.flips).toEqual([{ ...told, solved_in: 'b', results_a: 'x', results_b: good?.dir }]);
});

const plain = trialWith();

/** 100 pairs of independent trials, the same in every run. */
function drawn(seed: number, rate: number): TrialRecord[] {
  const draw = drawFrom(seed);
  return Array.from({ length: 100 }, (_, index) => ({
    ...plain,
    meta: {
      ...plain.meta,
      case_id: `case-${index % 10}`,
      repeat: Math.floor(index / 10) + 1,
      outcome: draw() < rate ? 'success' : 'fail',
    },
  }));
}

test.each([1, 2, 3, 4, 5])('two sets of the same rate are noise, 0.9 and 0.5 are not (seed %i)', (seed) => {
  const same = compareTrials(side('x', ...drawn(seed, 0.7)), side('y', ...drawn(seed + 100, 0.7)));
  expect(same.pairs.total).toBe(100);
  expect(same.verdict).toBe('noise');
  expect(same.sentence).toContain('The difference is within noise');
  const other = compareTrials(side('x', ...drawn(seed, 0.9)), side('y', ...drawn(seed + 100, 0.5)));
  expect(other).toMatchObject({ verdict: 'difference', ahead: 'a', pairs_needed: null });
  expect(other.sentence).toContain('The difference is more than noise: A (x) is better');
});

test('the same rate is called a difference in at most five of a hundred comparisons, and 0.9 against 0.5 nearly always', () => {
  const count = (a: number, b: number): number =>
    Array.from({ length: 200 }, (_, seed) =>
      compareTrials(side('x', ...drawn(seed * 2, a)), side('y', ...drawn(seed * 2 + 1, b))),
    ).filter(({ verdict }) => verdict === 'difference').length;
  expect(count(0.7, 0.7)).toBeLessThanOrEqual(10);
  expect(count(0.9, 0.5)).toBeGreaterThanOrEqual(198);
});

test('every trial is in a pair or left out; turned round it says the opposite', () => {
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      const seen = compareTrials(side('x', ...a), side('y', ...b));
      const turned = compareTrials(side('y', ...b), side('x', ...a));
      const { total, both, only_a, only_b, neither } = seen.pairs;
      expect(both + only_a + only_b + neither).toBe(total);
      expect([turned.pairs.only_a, turned.pairs.only_b, turned.p]).toEqual([only_b, only_a, seen.p]);
      expect(seen.cases.reduce((sum, one) => sum + one.pairs, 0)).toBe(total);
      expect(seen.cases.flatMap(({ gained }) => gained)).toHaveLength(only_b);
      expect(seen.cases.flatMap(({ lost }) => lost)).toHaveLength(only_a);
      expect(seen.cases.flatMap(({ flips }) => flips)).toHaveLength(only_a + only_b);
      expect(turned.pairs.p_cases).toBe(seen.pairs.p_cases);
      expect(seen.verdict === 'difference').toBe(total > 0 && seen.p < 0.05);
      // Each trial is one half of a pair, or the reason of a line.
      const judged = [...a, ...b].filter(({ meta }) => isJudged(meta.outcome)).length;
      expect(2 * total).toBeLessThanOrEqual(judged);
      if (2 * total < a.length + b.length) expect(seen.left_out.length).toBeGreaterThan(0);
    }),
  );
});

test('the same variant is assumed: who worked is not part of a pair', () => {
  const other = { ...codex, agent: 'claude' };
  expect(
    compareTrials(side('x', ...trialsOf('a', 'SS')), side('y', ...trialsOf('a', 'SF', { variant: other })))
      .pairs,
  ).toMatchObject({ total: 2, only_a: 1 });
});
