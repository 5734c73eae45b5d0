/** The page of a comparison: the sentence first, then what it rests on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderComparisonBody } from '../../../src/eval/report/html-compare.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, tools } from '../../support/reports.ts';
import type { TrialRecord } from '../../../src/eval/cases/types.ts';
import { arbTrials, trialsOf } from '../../support/trials.ts';

/** With results of their own. */
function elsewhere(trials: readonly TrialRecord[]): TrialRecord[] {
  return trials.map((trial) => ({ ...trial, dir: trial.dir.replace('aaaaa', 'bbbbb') }));
}

function bodyOf(...sides: Parameters<typeof comparisonOf>): string {
  return renderComparisonBody(comparisonOf(...sides).comparison, tools.linkOf).join('\n');
}

test('flips, differences, and what was left out', () => {
  const body = bodyOf(
    trialsOf('a', 'SSFE'),
    elsewhere(trialsOf('a', 'FSSE', { runner_version: '0.2.0', case_hash: 'b'.repeat(64) })),
  );
  expect(body).toContain('<section class="verdict noise"><h2>Verdict</h2><p>The difference is within noise:');
  expect(body).toContain('3 pairs: 1 solved in both, 1 only in A, 1 only in B, 0 in neither.');
  expect(body).toContain('a <small>B</small>');
  expect(body).toContain('67 % (21–94 %) · 2 of 3 solved');
  const results = 'eval/results/a/eval-20260131_010000';
  const [inA, inB] = [tools.linkOf(`${results}-aaaaa3`), tools.linkOf(`${results}-bbbbb3`)];
  expect(body).toContain(
    `<td class="name"><a href="${tools.linkOf(`${results}-bbbbb1`)}">#1</a></td><td class="name"><a href="${inA}">#3</a></td>`,
  );
  expect(body).toContain(
    '<details><summary>a #3 · solved in B; A: check not passed: file_exists(a.txt)</summary>',
  );
  expect(body).toContain(
    `<li><a href="${inA}">results in A</a> · <a href="${inA}/runner.loop.log">runner.loop.log</a> · <a href="${inA}/runner.start.log">runner.start.log</a></li><li><a href="${inB}">results in B</a></li>`,
  );
  expect(body).toContain('a #1 · solved in A; B: check not passed');
  expect(body).toContain(`${results.slice(-10)}-bbbbb1">results in B</a> · <a href`);
  const cell = (text: string) => `<td class="name">${text}</td>`;
  expect(body).toContain(`${cell('runner version')}${cell('0.1.0')}${cell('0.2.0')}${cell('all')}`);
  expect(body).toContain(`${cell('the case changed')}${cell('–')}${cell('–')}${cell('a')}`);
  expect(body).toContain(
    'harness error in A (the program of a check is missing), harness error in B (the program of a check is missing)</td><td class="name">4</td>',
  );
  const order = ['<h2>Verdict', '<h2>What differs', '<h2>Both sides', '<h2>Cost and time', '<h2>Flips'];
  const places = order.map((words) => body.indexOf(words));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(body).toContain('<td class="name">Total cost</td><td class="number">$1.00</td>');
  expect(body).toContain('<td class="name">Solved, over the pairs</td><td class="number">67 % (2 of 3)</td>');
  expect(body).toContain('takes that into account');
  // No table of three columns scrolls on a phone.
  for (const [, row = ''] of body.matchAll(/<h2>(?:Both sides|Cost and time)[^]*?<thead><tr>([^]*?)<\/tr>/g))
    expect(row.match(/<th /g)).toHaveLength(3);
});

test('nothing flipped, nothing differs, nothing in common', () => {
  const same = bodyOf(trialsOf('a', 'S'), trialsOf('a', 'S'));
  expect(same).toContain('No case flipped.');
  expect(same).not.toContain('What differs');
  expect(same).not.toContain('Left out');
  expect(bodyOf([], [])).toContain('class="verdict no-pairs"');
  expect(bodyOf(trialsOf('a', 'SS'), trialsOf('a', 'FS'))).toContain(
    `<td class="name"><a href="${tools.linkOf('eval/results/a/eval-20260131_010000-aaaaa1')}">#1</a></td><td class="name">–</td>`,
  );
});

test('A and B are told apart without colours; few cases are no good news', () => {
  const body = bodyOf(trialsOf('a', 'F'.repeat(10)), trialsOf('a', 'S'.repeat(10)));
  expect(body.match(/class="hole"/g)).toHaveLength(1);
  expect(body).toContain('class="verdict few-cases"');
  const wide = 'abcdefgh'.split('');
  const all = (letter: string) => wide.flatMap((case_id) => trialsOf(case_id, letter));
  expect(bodyOf(all('F'), all('S'))).toContain('class="verdict difference"');
});

test('many flips are counted', () => {
  const all = (letter: string) =>
    Array.from({ length: 31 }, (_, index) => trialsOf(`c-${index}`, letter.repeat(10))).flat();
  const body = bodyOf(all('F'), all('S'));
  expect(body).toContain('10 more are left out of this page.');
  expect(body.match(/· solved in B; A: /g)).toHaveLength(300);
});

test('every pair of every case is drawn', () => {
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      const { comparison } = comparisonOf(a, b);
      const rows =
        renderComparisonBody(comparison, tools.linkOf)
          .join('\n')
          .match(/class="point"/g) ?? [];
      expect(rows).toHaveLength(2 * comparison.cases.length);
    }),
    fuzzCases(50),
  );
});
