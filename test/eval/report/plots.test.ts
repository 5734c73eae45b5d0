/** Pictures of the page: everything is drawn within its axis, and said in words too. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  axisEnd,
  renderLegend,
  renderOutcomeCells,
  renderRateStrip,
  renderSpreadStrip,
} from '../../../src/eval/report/plots.ts';
import { evalOutcomes } from '../../../src/eval/report/summary.ts';
import { outcomeWords } from '../../../src/eval/report/words.ts';
import { spreadOf, wilsonInterval } from '../../../src/eval/report/statistics.ts';

/** Every place on the horizontal axis that a path or a box names. */
function placesOf(svg: string): readonly number[] {
  const paths = [...svg.matchAll(/[MH](-?[\d.]+)/g)].map(([, x]) => Number(x));
  const boxes = [...svg.matchAll(/<rect class="box" x="([^"]+)" y="3" width="([^"]+)"/g)].flatMap(
    ([, x, width]) => [Number(x), Number(x) + Number(width)],
  );
  return [...paths, ...boxes];
}

test('a rate with its interval', () => {
  const svg = renderRateStrip({ rate: 0.5, interval: { low: 0.25, high: 0.755 } });
  expect(svg).toContain('d="M25 5V15M75.5 5V15M25 10H75.5"');
  expect(svg).toContain('class="point" d="M50 10h.001"');
  expect(svg).not.toMatch(/band|hole/);
  expect(renderRateStrip({ rate: null, interval: null })).not.toContain('point');
  const wide = renderRateStrip({
    rate: 0.5,
    interval: { low: 0.25, high: 0.755 },
    clustered: { low: 0.1, high: 0.9 },
    isHollow: true,
  });
  expect(wide).toContain('<path class="band" d="M10 10H90"/>');
  expect(wide).toContain('class="hole" d="M50 10h.001"');
});

test('a distribution', () => {
  const svg = renderSpreadStrip({ values: [0, 5, 10], spread: spreadOf([0, 5, 10]), max: 10 });
  expect(svg).toContain('<rect class="box" x="25" y="3" width="50" height="14"/>');
  expect(svg).toContain('class="median" d="M50 2V18"');
  expect(svg).toContain('class="value" d="M0 10h.001M50 10h.001M100 10h.001"');
  expect(renderSpreadStrip({ values: [], spread: null, max: 1 })).not.toContain('median');
});

test.each([
  [0, false, 1],
  [7, false, 8],
  [0.03, false, 0.03],
  [1234, false, 2000],
  [45, true, 50],
  [61, true, 120],
  [4000, true, 7200],
])('the axis for %f (seconds: %s) ends at %f', (max, isSeconds, end) => {
  expect(axisEnd(max, isSeconds)).toBeCloseTo(end, 10);
});

test('cells with signs, in lines of twenty', () => {
  const cells = evalOutcomes.map((outcome, index) => ({ repeat: index + 1, outcome, note: `<${outcome}>` }));
  const svg = renderOutcomeCells(cells);
  expect(svg).toContain(
    'aria-label="1 solved, 1 failed, 1 stuck, 1 harness error, 1 skipped" width="110" height="22"',
  );
  expect(svg).toContain('<g class="fail"><title>&lt;fail&gt;</title><rect x="23"');
  const many = Array.from({ length: 45 }, (_, index) => ({
    repeat: index + 1,
    outcome: 'success' as const,
    note: '',
  }));
  expect(renderOutcomeCells(many)).toContain('width="440" height="66"');
  expect(renderOutcomeCells([])).toContain('aria-label="no trial"');
  for (const words of [...Object.values(outcomeWords), 'no result'])
    expect(renderLegend()).toContain(` ${words}</li>`);
});

test('a cell is at the place of its repeat; one without a result stays empty, and of two the last counts', () => {
  const cells = [
    { repeat: 3, outcome: 'fail', note: 'third' },
    { repeat: 1, outcome: 'stuck', note: 'gone' },
    { repeat: 1, outcome: 'success', note: 'first' },
  ] as const;
  const svg = renderOutcomeCells(cells);
  expect(svg).toContain('width="66" height="22"');
  expect(svg).toContain('<g class="success"><title>first</title><rect x="1"');
  expect(svg).toContain('<g class="missing"><title>repeat 2: no result</title><rect x="23"');
  expect(svg).toContain('<g class="fail"><title>third</title><rect x="45"');
  expect(svg).not.toContain('gone');
  const far = renderOutcomeCells([{ repeat: 1e15, outcome: 'fail', note: '' }]);
  expect(far).toContain('height="1100"');
});

test('nothing is drawn outside its axis', () => {
  const arbValues = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(arbValues, fc.boolean(), fc.nat(50), (values, isSeconds, successes) => {
      const end = axisEnd(Math.max(...values), isSeconds);
      expect(end).toBeGreaterThanOrEqual(Math.max(...values));
      const rate = successes / 50;
      const svgs = [
        renderSpreadStrip({ values, spread: spreadOf(values), max: end }),
        renderRateStrip({ rate, interval: wilsonInterval(successes, 50) }),
      ];
      for (const x of svgs.flatMap(placesOf)) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(100.02);
      }
    }),
  );
});
