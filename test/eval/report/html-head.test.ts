/** The beginning of the page, and its end: rates, reasons, failed trials with links. */
import { expect, test } from 'vitest';
import { renderFailures, renderHead, renderNotes } from '../../../src/eval/report/html-head.ts';
import { reportOf, tools } from '../../support/reports.ts';
import { codex, trialsOf, trialWith } from '../../support/trials.ts';

const link = (path: string): string => tools.linkOf(path);

const plain = { command: null, parts: [] };

test('notes only where there are any; a command is set as code, parts are folded', () => {
  expect(renderNotes([])).toEqual([]);
  expect(renderNotes([{ ...plain, text: 'a <b>' }])).toEqual([
    '<section class="notes"><p>a &lt;b&gt;</p></section>',
  ]);
  const [notes = ''] = renderNotes([
    { ...plain, text: 'Go on with:', command: 'x <y>' },
    { ...plain, text: '2 in all', parts: ['one', '<two>'] },
  ]);
  expect(notes).toContain('<p>Go on with: <code>x &lt;y&gt;</code></p>');
  expect(notes).toContain(
    '<details><summary>2 in all</summary><ul><li>one</li><li>&lt;two&gt;</li></ul></details>',
  );
  expect(renderHead(reportOf([]), link)).toEqual([]);
});

test('each variant with both intervals, drawn and said; errors, cost and time first', () => {
  const trials = [...trialsOf('a', 'SSSSS'), ...trialsOf('b', 'TTTTT'), ...trialsOf('c', 'SSFFF')];
  const free = trialsOf('a', 'E', { repeat: 6, cost_usd: null });
  const page = renderHead(reportOf([...trials, ...free]), link).join('\n');
  expect(page).toContain('47 % (25–70 %) · 7 of 15 solved<small>cases cluster: 3–96 %</small>');
  expect(page).toMatch(/<path class="band" d="M3\.\d+ 10H95\.\d+"\/><path class="whisker" d="M24\.8/);
  const names = [
    'Variant',
    'Harness errors',
    'Total cost',
    'Total trial time',
    'Median trial time',
    'Skipped',
  ];
  expect([...page.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].slice(0, 6).map(([, name]) => name)).toEqual(
    names,
  );
  expect(page).toContain(
    '<td class="number">1</td><td class="number">$3.75 (known for 15 of 16 trials)</td><td class="number">8 min 00 s</td>',
  );
  expect(renderHead(reportOf(trialsOf('a', '-')), link).join('\n')).toContain('nothing judged');
  expect(renderHead(reportOf(trialsOf('a', 'S')), link).join('\n')).toContain(
    'cases cluster: needs two cases',
  );
});

test('a variant without any result has a row', () => {
  const other = { ...codex, agent: 'other' };
  const plan = {
    cases: [{ id: 'a', hash: 'a'.repeat(64) }],
    variants: [codex, other],
    repeats: 1,
    record: false,
  };
  const page = renderHead(reportOf(trialsOf('a', 'S'), { plan }), link).join('\n');
  expect(page).toContain('<span class="name">other</span>');
  expect(page).toContain('<span class="number">no result yet</span>');
});

test('reasons in plain words, with the first results by case and repeat; what is left out is counted', () => {
  const trials = [...trialsOf('b', 'TTTTT'), ...trialsOf('a', 'F')];
  const page = renderHead(reportOf(trials), link).join('\n');
  const first = [1, 2, 3].map(
    (repeat) => `<a href="${link(`eval/results/b/eval-20260131_010000-aaaaa${repeat}`)}">b #${repeat}</a>`,
  );
  expect(page).toContain(
    `<td class="name">out of time</td><td class="number">5</td><td class="name">${first.join(', ')}, +2 more</td>`,
  );
  expect(page).toContain('<td class="name">check not passed: file_exists(a.txt)</td>');
  expect(page).toMatch(/>a #1<\/a><\/td>/);
  expect(page).not.toContain('harness error<');
  expect(page).not.toContain('left out');
  const many = Array.from({ length: 12 }, (_, index) =>
    trialWith({ repeat: index + 1, outcome: 'fail' }, [
      { type: 'file_exists', label: `file_exists(${index})`, passed: false, detail: null },
    ]),
  );
  const full = renderHead(reportOf(many), link).join('\n');
  expect(full).toContain('2 rarer reasons of codex are left out here');
  expect(renderHead(reportOf(many.slice(1)), link).join('\n')).toContain('1 rarer reason of codex is left');
});

test('failed trials, the skipped ones last; none, no section', () => {
  expect(renderFailures(trialsOf('a', 'S'), link)).toEqual([]);
  const [page = ''] = renderFailures(trialsOf('a', '-F'), link);
  expect(page.indexOf('badge fail')).toBeLessThan(page.indexOf('badge skipped'));
  expect(page).toContain('a <small>codex</small> #2 · check not passed: file_exists(a.txt)</summary>');
  expect(page).toContain('<li>check not passed: file_exists(a.txt): there is no a.txt</li>');
  expect(page).toContain(`href="${link('eval/results/a/eval-20260131_010000-aaaaa2/runner.loop.log')}"`);
});
