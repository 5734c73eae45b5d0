/** Numbers as text: rounded for people, and never rounded to what is not true. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  measureWords,
  renderClustered,
  renderCost,
  renderCount,
  renderInterval,
  renderMeasure,
  renderP,
  renderPart,
  renderPercent,
  renderShare,
} from '../../../src/eval/report/numbers.ts';
import { groupOf, measureNames } from '../../../src/eval/report/summary.ts';
import { trialsOf } from '../../support/trials.ts';

test('rates, intervals and chances', () => {
  expect([0, 0.001, 0.5, 0.704, 0.999, 1, null].map(renderPercent)).toEqual([
    ...['0 %', '<1 %', '50 %', '70 %', '>99 %', '100 %', '–'],
  ]);
  expect(renderInterval({ low: 0.545, high: 0.8189 })).toBe('55–82 %');
  expect(renderInterval(null)).toBe('–');
  expect([0.07, 0.0001, 1].map(renderP)).toEqual(['= 0.070', '< 0.001', '> 0.99']);
  expect([0.7, null].map(renderShare)).toEqual(['0.700', '-']);
  expect([0, 1, 2].map((part) => renderPart(part, 1))).toEqual([
    '0 of 1 planned trials have',
    '1 of 1 planned trials has',
    '2 of 1 planned trials have',
  ]);
  expect([renderCount(1, 'pair'), renderCount(0, 'pair')]).toEqual(['1 pair', '0 pairs']);
});

test.each([
  ['iterations', 2.25, '2.3'],
  ['attempts', 3, '3'],
  ['duration_secs', 0.42, '0.4 s'],
  ['duration_secs', 42.4, '42 s'],
  ['duration_secs', 59.7, '1 min 00 s'],
  ['duration_secs', 185, '3 min 05 s'],
  ['duration_secs', 3725, '1 h 02 min'],
  ['tokens', 950, '950'],
  ['tokens', 15_204, '15.2k'],
  ['tokens', 999_960, '1M'],
  ['cost_usd', 0, '$0'],
  ['cost_usd', 0.0031, '$0.0031'],
  ['cost_usd', 1.239, '$1.24'],
  ['cost_usd', null, '–'],
] as const)('%s of %s', (name, value, text) => {
  expect(renderMeasure(name, value)).toBe(text);
});

test('a sum of costs says of how many trials it is; skipped trials cost nothing', () => {
  const none = { cost_usd: null };
  const known = trialsOf('a', 'SFE');
  const skipped = trialsOf('b', '-', none);
  expect(renderCost(groupOf([...known, ...skipped]))).toBe('$0.75');
  expect(renderCost(groupOf([...known, ...skipped, ...trialsOf('c', 'SE', none)]))).toBe(
    '$0.75 (known for 3 of 5 trials)',
  );
  expect(renderCost(groupOf(trialsOf('c', 'SE', none)))).toBe('–');
});

test('the second interval, or why there is none', () => {
  const both = [...trialsOf('a', 'SF'), ...trialsOf('b', 'SF')];
  expect(renderClustered(groupOf(both))).toMatch(/^\d+–\d+ %$/);
  expect(renderClustered(groupOf(trialsOf('a', 'SF')))).toBe('needs two cases');
  expect(renderClustered(groupOf(trialsOf('a', 'E')))).toBe('–');
});

test('every number has a text, and none is NaN', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...measureNames),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      (name, value) => {
        expect(renderMeasure(name, value)).toMatch(/^\$?[0-9]/);
        expect(renderMeasure(name, value)).not.toContain('NaN');
        expect(measureWords[name]).toMatch(/^[A-Z]/);
      },
    ),
  );
});
