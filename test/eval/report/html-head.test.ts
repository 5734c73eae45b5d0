/** The beginning of the page, and its end: rates, reasons, failed trials with links. */
import { expect, test } from 'vitest';
import { renderFailures, renderHead, renderNotes } from '../../../src/eval/report/html-head.ts';
import { reportOf, tools } from '../../support/reports.ts';
import { trialsOf } from '../../support/trials.ts';

const link = (path: string): string => tools.linkOf(path);

test('notes only where there are any', () => {
  expect(renderNotes([])).toEqual([]);
  expect(renderNotes(['a <b>'])).toEqual(['<section class="notes"><p>a &lt;b&gt;</p></section>']);
  expect(renderHead(reportOf([]), link)).toEqual([]);
});

test('each variant with both intervals; reasons with the first results', () => {
  const trials = [...trialsOf('a', 'SSSSS'), ...trialsOf('b', 'TTTTT'), ...trialsOf('c', 'SSFFF')];
  const page = renderHead(reportOf(trials), link).join('\n');
  expect(page).toContain('47 % (25–70 %) · 7 of 15 solved');
  expect(page).toContain('<td class="number">25–70 %</td><td class="number">3–96 %</td>');
  expect(page).toMatch(
    /<td class="name">timeout<\/td><td class="number">5<\/td><td class="name"><a href="[^"]+">trial 1<\/a>, <a href="[^"]+">trial 2<\/a>, <a href="[^"]+">trial 3<\/a><\/td>/,
  );
  expect(page).not.toContain('harness error<');
  expect(renderHead(reportOf(trialsOf('a', '-')), link).join('\n')).toContain('nothing judged');
});

test('failed trials, the skipped ones last; none, no section', () => {
  expect(renderFailures(trialsOf('a', 'S'), link)).toEqual([]);
  const [page = ''] = renderFailures(trialsOf('a', '-F'), link);
  expect(page.indexOf('badge fail')).toBeLessThan(page.indexOf('badge skipped'));
  expect(page).toContain(`href="${link('eval/results/a/eval-20260131_010000-aaaaa2/runner.loop.log')}"`);
});
