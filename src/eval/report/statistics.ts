/**
 * The few statistics that tell a difference from luck: intervals, pass@k, pass^k, a paired test, medians. Exact where that is possible;
 * it knows nothing of trials and never rounds.
 */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The normal quantile of a two-sided 95 % interval. */
const z = 1.959_963_984_540_054;

/** Below this a difference is called more than noise. */
export const significanceMax = 0.05;

/** Wilson's 95 % interval for a rate. Nothing seen, nothing known: 0 to 1. */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const rate = successes / trials;
  const centre = rate + z ** 2 / (2 * trials);
  const margin = z * Math.sqrt((rate * (1 - rate) + z ** 2 / (4 * trials)) / trials);
  const scale = 1 + z ** 2 / trials;
  return {
    // Rounding must not leave the ends beside 0 and 1, where they are by the formula.
    low: successes === 0 ? 0 : (centre - margin) / scale,
    high: successes === trials ? 1 : (centre + margin) / scale,
  };
}

/** Trials and successes that belong together: those of one case. */
export interface Cluster {
  readonly successes: number;
  readonly trials: number;
}

/**
 * Wilson's 95 % interval for cases whose trials resemble each other: with as many trials as they are worth (Korn and Graubard 1998:
 * the design effect of the clusters, and Student's t for their number). Null: of fewer than two cases nothing can be said.
 */
export function clusteredInterval(clusters: readonly Cluster[]): Interval | null {
  const known = clusters.filter(({ trials }) => trials > 0);
  const count = known.length;
  if (count < 2) return null;
  const trials = known.reduce((sum, one) => sum + one.trials, 0);
  const rate = known.reduce((sum, one) => sum + one.successes, 0) / trials;
  const between = known.reduce((sum, one) => sum + (one.successes - one.trials * rate) ** 2, 0);
  // Of cases that all succeed or all fail nobody can tell how much their trials resemble each other: each counts once.
  const alike = rate === 0 || rate === 1;
  const variance = (count / (count - 1)) * (between / trials ** 2);
  const worth = alike ? count : Math.min(trials, (rate * (1 - rate)) / variance);
  const effective = worth * (z / studentQuantile(count - 1)) ** 2;
  return wilsonInterval(rate * effective, effective);
}

/** The quantile of a two-sided 95 % interval of Student's t, for a whole number of degrees of freedom. */
export function studentQuantile(degrees: number): number {
  let [low, high] = [0, 16];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (studentInside(middle, degrees) < 0.95) low = middle;
    else high = middle;
  }
  return high;
}

/** The chance that |t| is at most this: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4. */
function studentInside(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let at = isOdd ? 1 : 0; at < degrees - 1; at += 2) {
    sum += term;
    term *= (cosine ** 2 * (at + 1)) / (at + 2);
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

/** The chance that at least one of `k` trials succeeds, from `successes` of `trials` (Chen et al. 2021); null when there are fewer. */
export function passAtK(successes: number, trials: number, k: number): number | null {
  const allFail = chanceOfAll(trials - successes, trials, k);
  return allFail === null ? null : 1 - allFail;
}

/** The chance that all of `k` trials succeed (pass^k, Yao et al. 2024); null when there are fewer. */
export function passHatK(successes: number, trials: number, k: number): number | null {
  return chanceOfAll(successes, trials, k);
}

/** C(marked, k) / C(all, k): that all of `k`, drawn without putting back, are marked. */
function chanceOfAll(marked: number, all: number, k: number): number | null {
  if (k > all) return null;
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn += 1) chance *= Math.max(0, marked - drawn) / (all - drawn);
  return chance;
}

/**
 * McNemar's test as a two-sided exact binomial test: how likely is a split of the discordant pairs at least as uneven, were both sides
 * equally good? Concordant pairs say nothing about it.
 */
export function exactMcNemar(b: number, c: number): number {
  const pairs = b + c;
  const fewer = Math.min(b, c);
  // In logarithms: 2^-pairs is 0 in a double from 1,075 pairs on.
  let log = -pairs * Math.LN2;
  for (let at = 1; at <= fewer; at += 1) log += Math.log((pairs - at + 1) / at);
  let term = Math.exp(log);
  let tail = 0;
  for (let at = fewer; at >= 0; at -= 1) {
    tail += term;
    term *= at / (pairs - at + 1);
  }
  return Math.min(1, 2 * tail);
}

/**
 * How likely is a sum at least as far from zero, if the sign of each number were a matter of luck? Exact and two-sided. Of the differences
 * of cases it takes no two trials as independent; where each is one flip it is McNemar's test.
 */
export function exactSignFlip(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const reach = sizes.reduce((sum, size) => sum + size, 0);
  const seen = Math.abs(differences.reduce((sum, one) => sum + one, 0));
  // The chance of each sum of the positive ones.
  const chances = new Float64Array(reach + 1);
  chances[0] = 1;
  for (const size of sizes) {
    for (let sum = reach; sum >= 0; sum -= 1)
      chances[sum] = (Number(chances[sum]) + (sum < size ? 0 : Number(chances[sum - size]))) / 2;
  }

  const p = chances.filter((_, sum) => Math.abs(2 * sum - reach) >= seen).reduce((a, b) => a + b, 0);
  return Math.min(1, p);
}

/** Looking further would promise a precision that nobody pays for. */
export const discordantPairsMax = 10_000;

/**
 * How many discordant pairs would be more than noise if they went on splitting as they did. Null: more than `discordantPairsMax`, or as
 * many went one way as the other, so that no number is enough.
 */
export function discordantPairsNeeded(b: number, c: number): number | null {
  const pairs = b + c;
  const share = pairs === 0 ? 0 : Math.min(b, c) / pairs;
  // The test without exactness needs z² / (1 - 2 share)² of them, and the exact one is never far below. Of equal halves it is infinite.
  const start = Math.floor(z ** 2 / (1 - 2 * share) ** 2 / 2);
  for (let needed = Math.max(1, start); needed <= discordantPairsMax; needed += 1) {
    const fewer = Math.ceil(share * needed);
    if (exactMcNemar(fewer, needed - fewer) < significanceMax) return needed;
  }
  return null;
}

export interface Spread {
  readonly count: number;
  readonly min: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly max: number;
}

/** Median and quartiles with linear interpolation (Hyndman and Fan's type 7, as R and NumPy do it); null: there is nothing to tell of. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const below = Number(sorted[Math.floor(place)]);
    const above = Number(sorted[Math.ceil(place)]);
    return below + (above - below) * (place - Math.floor(place));
  };
  return {
    count: sorted.length,
    min: at(0),
    q1: at(0.25),
    median: at(0.5),
    q3: at(0.75),
    max: at(1),
  };
}
