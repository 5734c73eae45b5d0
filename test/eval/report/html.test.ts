/** The page of a batch says what the numbers say; hostile text is in it as text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalHtml } from '../../../src/eval/report/html.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, tools, hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

const claude = { ...codex, agent: 'claude' };

const ownTags =
  'html head title style body main header h1 h2 p section div small ul li span a svg path rect g text table thead tbody tr th td details summary'.split(
    ' ',
  );

/** Only tags that the renderers write, each closed, without anything that acts. */
function checkMarkup(html: string): void {
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of html.matchAll(/<(\/?)([a-z0-9!]+)([^>]*)>/g)) {
    if (/^(?:!doctype|meta)$/.test(name)) continue;
    expect(ownTags).toContain(name);
    expect(rest).not.toMatch(/\son[a-z]+=|\s(?:src|style|action)=|javascript:/);
    if (rest.includes('href=')) expect(name === 'a' && /^ href="\.\/[^"]*"$/.test(rest)).toBe(true);
    if (rest.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
  // No mark of markup stands alone.
  expect(html.replaceAll(/<[a-z!/][^<>]*>/g, '').includes('<')).toBe(false);
}

test('one variant', () => {
  const page = renderEvalHtml(reportOf([...trialsOf('a', 'SFE'), ...trialsOf('b', '-')]), tools);
  checkMarkup(page);
  expect(page).toContain('<title>Eval first</title>');
  expect(page).toContain('4 of 6 planned trials have ended');
  const at = (text: string): number => {
    expect(page).toContain(text);
    return page.indexOf(text);
  };
  const order = [
    '<p>Incomplete: 2 of 6 planned trials have no result. Continue with: runner eval run --resume --batch first</p>',
    '<p>1 harness error in 4 trials of codex: not judged, and not in its rate.</p>',
    '50 % (9–91 %) · 1 of 2 solved',
    '<td class="name">not solved</td><td class="name">runner_completed</td><td class="number">1</td>',
    '<td class="name">harness error</td><td class="name">toolchain_missing</td><td class="number">1</td><td class="name"><a href="./eval/results/a/eval-20260131_010000-aaaaa3">trial 1</a></td>',
    '<h2>Success by case, with 95 % intervals</h2>',
    '<a href="./eval/results/a/eval-20260131_010000-aaaaa3/runner.loop.log">runner.loop.log</a>',
  ].map(at);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(page).toContain('1/2 · 50 % (9–91 %)');
  expect(page).toContain('nothing judged');
  expect(page).toContain('<title>repeat 3: error (toolchain_missing)</title>');
  expect(page).toContain('<h2>Duration of judged trials</h2>');
  expect(page).toContain('30 s (30 s–30 s)');
  expect(page).toContain('<h2>Cost of judged trials</h2>');
  expect(page).toContain('<li>a <small>codex</small>: 1 of 2</li>');
  expect(page).toContain('<h2>pass@k and pass^k</h2>');
  expect(page).toContain(
    '<span class="badge error">error</span> a <small>codex</small> repeat 3 · toolchain_missing</summary>',
  );
});

test('several variants, nothing flaky, nothing failed, no cost known', () => {
  const known = { cost_usd: null };
  const report = reportOf([
    ...trialsOf('a', 'S', known),
    ...trialsOf('a', 'S', { ...known, variant: claude }),
  ]);
  const page = renderEvalHtml(report, tools);
  checkMarkup(page);
  expect(page.match(/100 % \(21–100 %\) · 1 of 1 solved/g)).toHaveLength(2);
  expect(page).toContain('a <small>claude</small>');
  for (const absent of [
    'Cost of judged',
    'Flaky',
    'without success',
    'pass@k and',
    'What failed',
    'Incomplete',
  ])
    expect(page).not.toContain(absent);
});

test('nothing has ended yet', () => {
  const page = renderEvalHtml(reportOf([]), tools);
  checkMarkup(page);
  expect(page).toContain(
    '<p class="muted">2026-01-31T01:00:00.000Z · runner 0.1.0 · 0 of 0 planned trials have ended</p>',
  );
  expect(page).toContain('No trial has ended yet.');
  expect(page).not.toContain('Success by case');
});

test('many failures are counted, and a check may say nothing', () => {
  const trials = Array.from({ length: 310 }, (_, index) =>
    trialWith({ case_id: `c-${index}`, outcome: 'fail' }, [
      { type: 'tree', label: 'tree', passed: false, detail: null },
    ]),
  );
  const page = renderEvalHtml(reportOf(trials), tools);
  expect(page).toContain('10 more are left out of this page.');
  expect(page).toContain('tree: not passed');
});

test('hostile text, and any trials, give sound markup', () => {
  for (const report of [reportOf(hostileTrials()), comparisonOf(hostileTrials(), hostileTrials().slice(1))]) {
    const page = renderEvalHtml(report, tools);
    checkMarkup(page);
    expect(page.length).toBeLessThan(1_000_000);
  }
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      checkMarkup(renderEvalHtml(reportOf(a), tools));
      checkMarkup(renderEvalHtml(comparisonOf(a, b), tools));
    }),
    fuzzCases(15),
  );
});
