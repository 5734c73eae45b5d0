/** The page of a batch says what the numbers say; hostile text is in it as text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalHtml } from '../../../src/eval/report/html.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, tools, hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, batchWith, codex, trialsOf, trialWith } from '../../support/trials.ts';

const claude = { ...codex, agent: 'claude' };

const ownTags =
  'html head title style body main header h1 h2 p section div small ul li span code a svg path rect g text table thead tbody tr th td details summary'.split(
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
    '<p>Incomplete: 2 of 6 planned trials have no result. Continue with: <code>runner eval run --resume --batch first</code></p>',
    '<p>1 harness error in 4 trials of codex: not judged, and not in its rate.</p>',
    '50 % (9–91 %) · 1 of 2 solved',
    '<td class="name">not solved</td><td class="name">check not passed: file_exists(a.txt)</td><td class="number">1</td>',
    '<td class="name">harness error</td><td class="name">the program of a check is missing</td><td class="number">1</td><td class="name"><a href="./eval/results/a/eval-20260131_010000-aaaaa3">a #3</a></td>',
    '<h2>Solved by case, with 95 % intervals</h2>',
    '<a href="./eval/results/a/eval-20260131_010000-aaaaa3/runner.loop.log">runner.loop.log</a>',
  ].map(at);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(page).toContain('<span class="number">50 % (9–91 %) · 1 of 2 solved</span>');
  expect(page).toContain('nothing judged');
  expect(page).toContain('<title>repeat 3: harness error (the program of a check is missing)</title>');
  expect(page).toContain('<h2>Trial time, judged trials</h2>');
  expect(page).toContain('30 s (30 s–30 s)');
  expect(page).toContain('<h2>Cost, judged trials</h2>');
  expect(page).toContain('<li>a <small>codex</small>: 1 of 2 solved</li>');
  expect(page).toContain('<h2>pass@k and pass^k</h2>');
  expect(page).toContain(
    '<span class="badge error">harness error</span> a <small>codex</small> #3 · the program of a check is missing</summary>',
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
  expect(page.match(/100 % \(21–100 %\) · 1 of 1 solved/g)).toHaveLength(4);
  expect(page).toContain('a <small>claude</small>');
  for (const absent of ['Cost, judged', 'Flaky', 'not solved<', 'pass@k and', 'What failed', 'Incomplete'])
    expect(page).not.toContain(absent);
});

test('nothing has ended yet', () => {
  const page = renderEvalHtml(reportOf([], { plan: batchWith().plan }), tools);
  checkMarkup(page);
  expect(page).toContain(
    '<p class="muted">2026-01-31 01:00 UTC · runner 0.1.0 · codex · 0 of 1 planned trials have ended</p>',
  );
  expect(page).toContain('No trial has ended yet.');
  expect(page).toContain('no result yet');
  expect(page).not.toContain('Solved by case');
});

test('nothing was planned', () => {
  const page = renderEvalHtml(reportOf([]), tools);
  checkMarkup(page);
  expect(page).toContain('<p class="muted">2026-01-31 01:00 UTC · runner 0.1.0</p>');
  expect(page).toContain('This batch planned no trials.');
  expect(page).toContain('<code>runner eval list</code>');
  expect(page).not.toContain('0 of 0');
});

test('above four variants their number, and no name is longer than 80 characters', () => {
  const of = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      trialsOf('a', 'E', { variant: { ...codex, agent: `${index}${'x'.repeat(200)}` } }),
    ).flat();
  const many = renderEvalHtml(reportOf(of(5)), tools);
  expect(many).toContain('runner 0.1.0 · 5 variants · 5 of 5');
  expect(many).toContain(
    '<summary>5 harness errors in 5 variants: not judged, and not in their rates.</summary>',
  );
  expect(many).not.toContain('x'.repeat(80));
  const few = renderEvalHtml(reportOf(of(4)), tools);
  expect(few).toContain(`0${'x'.repeat(79)}…, 1${'x'.repeat(79)}…, `);
});

test('a repeat without a result keeps its place; both plots of rates have the same columns', () => {
  const trials = [...trialsOf('a', 'S', { repeat: 3 }), ...trialsOf('b', 'SSS')];
  const page = renderEvalHtml(reportOf(trials), tools);
  expect(page.match(/no result<\/title>/g)).toHaveLength(2);
  expect(page).toContain('<h2>Outcomes, one cell per repeat</h2>');
  const [head = '', byCase = ''] = page.split('<h2>').filter((part) => part.startsWith('Solved'));
  for (const part of [head, byCase]) expect(part).toContain('class="row is-long axis-row"');
});

test('many failures are counted, and a check may say nothing', () => {
  const trials = Array.from({ length: 310 }, (_, index) =>
    trialWith({ case_id: `c-${index}`, outcome: 'fail' }, [
      { type: 'tree', label: 'tree', passed: false, detail: null },
    ]),
  );
  const page = renderEvalHtml(reportOf(trials), tools);
  expect(page).toContain('10 more are left out of this page.');
  expect(page).toContain('<li>check not passed: tree</li>');
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
