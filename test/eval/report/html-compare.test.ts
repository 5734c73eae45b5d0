/** The page of a comparison: the sentence first, then what it rests on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderComparisonBody } from '../../../src/eval/report/html-compare.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf } from '../../support/reports.ts';
import { arbTrials, trialsOf } from '../../support/trials.ts';

function bodyOf(...sides: Parameters<typeof comparisonOf>): string {
  return renderComparisonBody(comparisonOf(...sides).comparison).join('\n');
}

test('flips, differences, and what was left out', () => {
  const body = bodyOf(
    trialsOf('a', 'SSFE'),
    trialsOf('a', 'FSSE', { runner_version: '0.2.0', case_hash: 'b'.repeat(64) }),
  );
  expect(body).toContain('<section class="verdict noise"><h2>Verdict</h2><p>The difference is within noise:');
  expect(body).toContain('3 pairs: 1 succeeded in both, 1 only in A, 1 only in B, 0 in neither.');
  expect(body).toContain('a <small>B</small>');
  expect(body).toContain('2/3 · 67 % (21–94 %)');
  expect(body).toContain('<td class="name">repeat 3</td><td class="name">repeat 1</td>');
  expect(body).toContain('<td class="name">runner version</td><td class="name">all</td>');
  expect(body).toContain('<td class="name">case hash</td><td class="name">a</td>');
  expect(body).toContain(
    'error in A (toolchain_missing), error in B (toolchain_missing)</td><td class="name">4</td>',
  );
});

test('nothing flipped, nothing differs, nothing in common', () => {
  const same = bodyOf(trialsOf('a', 'S'), trialsOf('a', 'S'));
  expect(same).toContain('No case flipped.');
  expect(same).not.toContain('What differs');
  expect(same).not.toContain('Left out');
  expect(bodyOf([], [])).toContain('class="verdict no-pairs"');
  expect(bodyOf(trialsOf('a', 'SS'), trialsOf('a', 'FS'))).toContain(
    '<td class="name">–</td><td class="name">repeat 1</td>',
  );
});

test('every pair of every case is drawn', () => {
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      const { comparison } = comparisonOf(a, b);
      const rows =
        renderComparisonBody(comparison)
          .join('\n')
          .match(/class="point"/g) ?? [];
      expect(rows).toHaveLength(2 * comparison.cases.length);
    }),
    fuzzCases(50),
  );
});
