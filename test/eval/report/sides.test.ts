/** Both sides of a comparison, as people compare them: rates over the pairs and over all, cost, time, medians. */
import { expect, test } from 'vitest';
import { rateRows, spentRows } from '../../../src/eval/report/sides.ts';
import { comparisonOf } from '../../support/reports.ts';
import { trialsOf } from '../../support/trials.ts';

test('the rate over the pairs is told apart from that of all judged trials', () => {
  const { comparison } = comparisonOf(
    [...trialsOf('a', 'SFE'), ...trialsOf('b', 'SS')],
    [...trialsOf('a', 'SSS-'), ...trialsOf('c', 'FX')],
  );
  expect(rateRows(comparison).map(({ name, a, b }) => [name, a, b])).toEqual([
    ['Solved, over the pairs', '50 % (1 of 2)', '100 % (2 of 2)'],
    ['Solved, over all judged trials', '75 % (3 of 4)', '60 % (3 of 5)'],
    ['95 % interval', '30–95 %', '23–88 %'],
    ['95 % interval, cases cluster', '1–100 %', '0–100 %'],
    ['Failed', '1', '1'],
    ['Stuck', '0', '1'],
    ['Harness error', '1', '0'],
    ['Skipped', '0', '1'],
  ]);
});

test('totals and medians; of one case there is no second interval, of no trial no rate', () => {
  const { comparison } = comparisonOf(
    trialsOf('a', 'SF', { cost_usd: null }),
    trialsOf('a', 'E', { duration_secs: 4000 }),
  );
  expect(spentRows(comparison).map(({ name, a, b }) => [name, a, b])).toEqual([
    ['Total cost', '–', '$0.25'],
    ['Total trial time', '1 min 00 s', '1 h 07 min'],
    ['Median iterations', '3', '–'],
    ['Median attempts', '1', '–'],
    ['Median trial time', '30 s', '–'],
    ['Median tokens', '1k', '–'],
    ['Median cost', '–', '–'],
  ]);
  expect(rateRows(comparison).slice(0, 4)).toMatchObject([
    { a: '–', b: '–' },
    { a: '50 % (1 of 2)', b: '–' },
    { b: '–' },
    { a: 'needs two cases', b: '–' },
  ]);
});
