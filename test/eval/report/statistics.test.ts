/** Published values, worked examples, exact enumeration and simulation: what the statistics promise. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clusteredInterval,
  discordantPairsMax,
  discordantPairsNeeded,
  exactMcNemar,
  exactSignFlip,
  passAtK,
  passHatK,
  significanceMax,
  spreadOf,
  studentQuantile,
  wilsonInterval,
} from '../../../src/eval/report/statistics.ts';
import { drawFrom } from '../../support/draws.ts';

/** By the definition, with whole numbers of any size. */
function choose(n: number, k: number): bigint {
  let result = 1n;
  for (let at = 1; at <= k; at += 1) result = (result * BigInt(n - at + 1)) / BigInt(at);
  return result;
}

describe('wilsonInterval', () => {
  /**
   * Newcombe RG, "Two-sided confidence intervals for the single proportion: comparison of seven methods", Statistics in Medicine
   * 17:857-872 (1998), table I, method 3 (score, no continuity correction).
   */
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i, as Newcombe has it', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('nothing known, and the ends exactly', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilsonInterval(0, 7).low).toBe(0);
    expect(wilsonInterval(7, 7).high).toBe(1);
  });

  test('its ends are where the score test is just at its quantile; it is symmetric and within 0 and 1', () => {
    const arbCounts = fc
      .integer({ min: 1, max: 5000 })
      .chain((trials) => fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials)));
    fc.assert(
      fc.property(arbCounts, ([successes, trials]) => {
        const { low, high } = wilsonInterval(successes, trials);
        const rate = successes / trials;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(rate);
        expect(high).toBeGreaterThanOrEqual(rate);
        for (const end of [low, high].filter((one) => one > 0 && one < 1))
          expect(Math.abs(rate - end) / Math.sqrt((end * (1 - end)) / trials)).toBeCloseTo(1.96, 3);

        const mirrored = wilsonInterval(trials - successes, trials);
        expect(mirrored.low).toBeCloseTo(1 - high, 10);
        expect(mirrored.high).toBeCloseTo(1 - low, 10);
      }),
    );
  });

  test.each([
    [0.7, 40, 11],
    [0.5, 100, 12],
    [0.9, 100, 13],
  ])('over 2,000 draws it covers the true rate %f of %i trials', (rate, trials, seed) => {
    const draw = drawFrom(seed);
    let covered = 0;
    for (let round = 0; round < 2000; round += 1) {
      let successes = 0;
      for (let trial = 0; trial < trials; trial += 1) successes += draw() < rate ? 1 : 0;
      const { low, high } = wilsonInterval(successes, trials);
      if (low <= rate && rate <= high) covered += 1;
    }
    expect(covered / 2000).toBeGreaterThanOrEqual(0.93);
    expect(covered / 2000).toBeLessThanOrEqual(0.97);
  });
});

describe('pass@k and pass^k', () => {
  /**
   * pass@k = 1 - C(n-c, k) / C(n, k): Chen et al., "Evaluating Large Language Models Trained on Code", arXiv:2107.03374 (2021), eq. 1.
   * pass^k = C(c, k) / C(n, k): Yao et al., "τ-bench", arXiv:2406.12045 (2024), section 5.1. Worked by hand.
   */
  test.each([
    // 1 - C(3,2)/C(5,2) = 1 - 3/10; C(2,2)/C(5,2) = 1/10.
    { n: 5, c: 2, k: 2, at: 0.7, hat: 0.1 },
    // 1 - C(1,2)/C(5,2) = 1; C(4,2)/C(5,2) = 6/10.
    { n: 5, c: 4, k: 2, at: 1, hat: 0.6 },
    // 1 - C(7,3)/C(10,3) = 1 - 35/120; C(3,3)/C(10,3) = 1/120.
    { n: 10, c: 3, k: 3, at: 1 - 35 / 120, hat: 1 / 120 },
    { n: 4, c: 0, k: 4, at: 0, hat: 0 },
    { n: 4, c: 4, k: 4, at: 1, hat: 1 },
  ])('n=$n c=$c k=$k', ({ n, c, k, at, hat }) => {
    expect(passAtK(c, n, k)).toBeCloseTo(at, 12);
    expect(passHatK(c, n, k)).toBeCloseTo(hat, 12);
  });

  test('there are fewer trials than k', () => {
    expect(passAtK(1, 2, 3)).toBeNull();
    expect(passHatK(1, 2, 3)).toBeNull();
  });

  test('both agree with the formulas in whole numbers; of one trial they are the rate', () => {
    const arb = fc
      .integer({ min: 1, max: 60 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })));
    fc.assert(
      fc.property(arb, ([n, c, k]) => {
        const share = (marked: number): number =>
          marked < k ? 0 : Number((choose(marked, k) * 10n ** 18n) / choose(n, k)) / 1e18;
        expect(passAtK(c, n, k)).toBeCloseTo(1 - share(n - c), 10);
        expect(passHatK(c, n, k)).toBeCloseTo(share(c), 10);
        expect(passAtK(c, n, 1)).toBeCloseTo(c / n, 12);
        expect(passHatK(c, n, 1)).toBeCloseTo(c / n, 12);
      }),
    );
  });
});

describe('exactMcNemar', () => {
  /**
   * Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than exact
   * conditional", BMC Medical Research Methodology 13:91 (2013): Bentur et al., 1 and 7 discordant pairs, p = 0.070 (18/256).
   */
  test('as published', () => {
    expect(exactMcNemar(1, 7)).toBeCloseTo(0.070_312_5, 12);
    expect(exactMcNemar(7, 1)).toBeCloseTo(0.070_312_5, 12);
  });

  /** Tables of the same authors' "Statistical Analysis of Contingency Tables" (2017), chapter 8; p by exact enumeration here. */
  test.each([
    [6, 16],
    [25, 2],
    [5, 5],
    [0, 6],
    [0, 5],
    [0, 0],
  ])('%i and %i, enumerated', (b, c) => {
    let ways = 0n;
    for (let at = 0; at <= Math.min(b, c); at += 1) ways += choose(b + c, at);
    const p = Number((2n * ways * 10n ** 18n) / 2n ** BigInt(b + c)) / 1e18;
    expect(exactMcNemar(b, c)).toBeCloseTo(Math.min(1, p), 12);
  });

  test('many pairs do not make it 0 or NaN; it is a chance, symmetric, and falls as the split grows uneven', () => {
    expect(exactMcNemar(2000, 2000)).toBe(1);
    expect(exactMcNemar(4900, 5100)).toBeGreaterThan(0.04);
    expect(exactMcNemar(4900, 5100)).toBeLessThan(0.05);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 3000 }), (b, c) => {
        const p = exactMcNemar(b, c);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(exactMcNemar(c, b)).toBe(p);
        if (b < c) expect(exactMcNemar(b, c + 1)).toBeLessThanOrEqual(p * (1 + 1e-9));
      }),
    );
  });
});

describe('exactSignFlip', () => {
  test.each([
    [[], 1],
    [[0, 0], 1],
    [[10], 1],
    [[3, 2], 0.5],
    [[1, 1, 1, 1, 1, 1], 2 / 64],
    [[1, 1, 1, 1, 1, -1], 14 / 64],
    // 4+3+2+1 and all but the 1, each in both directions.
    [[4, 3, 2, -1], 4 / 16],
  ])('%j by hand', (differences, p) => {
    expect(exactSignFlip(differences)).toBeCloseTo(p, 12);
  });

  test('as enumerated; the same turned round; where each case is one flip, it is McNemar’s test', () => {
    const arbDifferences = fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 8 });
    fc.assert(
      fc.property(arbDifferences, (differences) => {
        const sums = differences.reduce((all, one) => all.flatMap((sum) => [sum + one, sum - one]), [0]);
        const seen = Math.abs(differences.reduce((sum, one) => sum + one, 0));
        const share = sums.filter((sum) => Math.abs(sum) >= seen).length / sums.length;
        expect(exactSignFlip(differences)).toBeCloseTo(share, 12);
        expect(exactSignFlip(differences.map((one) => -one))).toBe(exactSignFlip(differences));
      }),
    );
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (b, c) => {
        const flips = [...Array<number>(b).fill(1), ...Array<number>(c).fill(-1)];
        expect(exactSignFlip(flips)).toBeCloseTo(exactMcNemar(b, c), 10);
      }),
    );
    expect(exactSignFlip(Array<number>(2000).fill(3))).toBe(0);
  });
});

describe('discordantPairsNeeded', () => {
  test('nothing seen: six of six, for 2/64 is below 0.05 and 2/32 is not; equal halves never', () => {
    expect(discordantPairsNeeded(0, 0)).toBe(6);
    expect(discordantPairsNeeded(0, 3)).toBe(6);
    expect(discordantPairsNeeded(4, 4)).toBeNull();
    expect(discordantPairsNeeded(500, 501)).toBeNull();
  });

  test('that many are enough with the same split, and no smaller number is', () => {
    const isEnough = (pairs: number, share: number): boolean => {
      const fewer = Math.ceil(share * pairs);
      return exactMcNemar(fewer, pairs - fewer) < significanceMax;
    };
    for (let at = 0; at < 13 * 13; at += 1) {
      const [b, c] = [Math.floor(at / 13), at % 13];
      const needed = discordantPairsNeeded(b, c);
      if (needed === null) continue;
      const share = b + c === 0 ? 0 : Math.min(b, c) / (b + c);
      expect(needed).toBeLessThanOrEqual(discordantPairsMax);
      expect(isEnough(needed, share)).toBe(true);
      for (let pairs = 1; pairs < needed; pairs += 1) expect(isEnough(pairs, share)).toBe(false);
    }
  });
});

describe('spreadOf', () => {
  /** `quantile(c(1, 2, 3, 4))` of R: 1.00 1.75 2.50 3.25 4.00, which is type 7 by the definition of Hyndman and Fan (1996). */
  test('quartiles', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ count: 4, min: 1, q1: 1.75, median: 2.5, q3: 3.25, max: 4 });
    expect(spreadOf([5])).toEqual({ count: 1, min: 5, q1: 5, median: 5, q3: 5, max: 5 });
    expect(spreadOf([])).toBeNull();
  });

  test('in order, between the ends, whatever the order of the values', () => {
    const arbValues = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(arbValues, (values) => {
        const spread = spreadOf(values);
        expect(spread).not.toBeNull();
        const { min = 0, q1 = 0, median = 0, q3 = 0, max = 0 } = spread ?? {};
        expect([min, q1, median, q3, max]).toEqual([min, q1, median, q3, max].toSorted((a, b) => a - b));
        expect(min).toBe(Math.min(...values));
        expect(max).toBe(Math.max(...values));
        expect(values.filter((value) => value <= median).length).toBeGreaterThanOrEqual(values.length / 2);
        expect(spreadOf(values.toReversed())).toEqual(spread);
      }),
    );
  });
});

/**
 * Computed with Python's standard library alone: Student's density integrated by Simpson's rule with 20,000 steps and inverted by
 * bisection, Wilson's formula with statistics.NormalDist, the design effect by its definition.
 */
test.each([
  [1, 12.706204736172138],
  [2, 4.302652729749204],
  [3, 3.1824463052837135],
  [4, 2.776445105197803],
  [5, 2.5705818356361663],
  [10, 2.2281388519863237],
  [11, 2.2009851600916024],
  [30, 2.0422724563012125],
  [99, 1.9842169515864045],
])("Student's t with %i degrees of freedom", (degrees, wanted) => {
  expect(studentQuantile(degrees)).toBeCloseTo(wanted, 9);
});

test.each([
  ['2/5 5/5 0/5', 0.031166584337068405, 0.9596773346668295],
  ['5/5 5/5 5/5', 0.1394517282479287, 1],
  ['2/5 2/5 2/5', 0.08696123443418445, 0.8235207854586942],
  ['1/4 3/3 0/7 2/2 4/10', 0.11159051269881133, 0.7566848761779411],
])('the interval of cases that cluster: %s', (text, low, high) => {
  const clusters = text.split(' ').map((pair) => {
    const [successes = 0, trials = 0] = pair.split('/').map(Number);
    return { successes, trials };
  });
  const found = clusteredInterval([...clusters, { successes: 0, trials: 0 }]);
  expect(found?.low).toBeCloseTo(low, 12);
  expect(found?.high).toBeCloseTo(high, 12);
});

test('one case says nothing about others; the interval holds the rate and is never narrower than that of independent trials', () => {
  expect(clusteredInterval([{ successes: 3, trials: 5 }])).toBeNull();
  expect(clusteredInterval([])).toBeNull();
  const arbCluster = fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.nat({ max: 30 }))
    .map(([trials, successes]) => ({ trials, successes: Math.min(trials, successes) }));
  fc.assert(
    fc.property(fc.array(arbCluster, { minLength: 2, maxLength: 12 }), (clusters) => {
      const trials = clusters.reduce((sum, one) => sum + one.trials, 0);
      const successes = clusters.reduce((sum, one) => sum + one.successes, 0);
      const found = clusteredInterval(clusters);
      const plain = wilsonInterval(successes, trials);
      expect(found?.low).toBeLessThanOrEqual(successes / trials);
      expect(found?.high).toBeGreaterThanOrEqual(successes / trials);
      expect(Number(found?.high) - Number(found?.low)).toBeGreaterThan(plain.high - plain.low - 1e-12);
    }),
  );
});
