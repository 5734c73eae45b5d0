/** The page of a batch says what the numbers say; hostile text is in it as text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalHtml } from '../../../src/eval/report/html.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, hashOf, hostileTrials, reportOf } from '../../support/reports.ts';
import { arbTrials, codex, trialsOf, trialWith } from '../../support/trials.ts';

const claude = { ...codex, agent: 'claude' };

const ownTags =
  'html head title style body main header h1 h2 p section dl div dt dd small ul li span svg path rect g text table thead tbody tr th td details summary'.split(
    ' ',
  );

/** Only tags that the renderers write, each closed, without anything that acts. */
function checkMarkup(html: string): void {
  const open: string[] = [];
  for (const [, slash, name = '', rest = ''] of html.matchAll(/<(\/?)([a-z0-9!]+)([^>]*)>/g)) {
    if (/^(?:!doctype|meta)$/.test(name)) continue;
    expect(ownTags).toContain(name);
    expect(rest).not.toMatch(/\son[a-z]+=|\s(?:href|src|style|action)=|javascript:/);
    if (rest.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
  // No mark of markup stands alone.
  expect(html.replaceAll(/<[a-z!/][^<>]*>/g, '').includes('<')).toBe(false);
}

test('one variant', () => {
  const page = renderEvalHtml(reportOf([...trialsOf('a', 'SFE'), ...trialsOf('b', '-')]), hashOf);
  checkMarkup(page);
  expect(page).toContain('<title>Eval first</title>');
  expect(page).toContain('4 of 1 planned trials have ended');
  expect(page).toContain('<dt>Success</dt><dd>50 %<small>95 %: 9–91 %</small>');
  expect(page).toContain('<small>1 requires_missing, 1 timeout</small>');
  expect(page).toContain('1/2 · 50 % (9–91 %)');
  expect(page).toContain('nothing judged');
  expect(page).toContain('<title>repeat 3: error (timeout)</title>');
  expect(page).toContain('<h2>Duration of judged trials</h2>');
  expect(page).toContain('30 s (30 s–30 s)');
  expect(page).toContain('<h2>Cost of judged trials</h2>');
  expect(page).toContain('<li>a <small>codex</small>: 1 of 2</li>');
  expect(page).toContain('<h2>pass@k and pass^k</h2>');
  expect(page).toContain(
    '<span class="badge error">error</span> a <small>codex</small> repeat 3 · timeout</summary>',
  );
  expect(page).not.toContain('<h2>Variants</h2>');
});

test('several variants, nothing flaky, nothing failed, no cost known', () => {
  const known = { cost_usd: null };
  const report = {
    ...reportOf([...trialsOf('a', 'S', known), ...trialsOf('a', 'S', { ...known, variant: claude })]),
    planned: null,
  };
  const page = renderEvalHtml(report, hashOf);
  checkMarkup(page);
  expect(page).toContain('<h2>Variants</h2>');
  expect(page).toContain('a <small>claude</small>');
  for (const absent of ['Cost of judged', 'Flaky', 'without success', 'pass@k and', 'planned'])
    expect(page).not.toContain(absent);
});

test('nothing has ended yet', () => {
  const page = renderEvalHtml(reportOf([]), hashOf);
  checkMarkup(page);
  expect(page).toContain(
    '<p class="muted">2026-01-31T01:00:00.000Z · runner 0.1.0 · 0 of 1 planned trials have ended</p>',
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
  const page = renderEvalHtml(reportOf(trials), hashOf);
  expect(page).toContain('10 more are left out of this page.');
  expect(page).toContain('tree: not passed');
});

test('hostile text, and any trials, give sound markup', () => {
  for (const report of [reportOf(hostileTrials()), comparisonOf(hostileTrials(), hostileTrials().slice(1))]) {
    const page = renderEvalHtml(report, hashOf);
    checkMarkup(page);
    expect(page.length).toBeLessThan(1_000_000);
  }
  fc.assert(
    fc.property(arbTrials, arbTrials, (a, b) => {
      checkMarkup(renderEvalHtml(reportOf(a), hashOf));
      checkMarkup(renderEvalHtml(comparisonOf(a, b), hashOf));
    }),
    fuzzCases(15),
  );
});
