/** Every reporter that can be asked for renders. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderEvalReport } from '../../../src/eval/report/render.ts';
import { reporterNames } from '../../../src/eval/report/reporters.ts';
import { fuzzCases } from '../../support/fuzz.ts';
import { comparisonOf, tools, reportOf } from '../../support/reports.ts';
import { arbTrials, trialsOf } from '../../support/trials.ts';

const begins = {
  text: /^report: batch=first /,
  json: /^\{"command":"eval report",/,
  junit: /^<\?xml /,
  markdown: /^### Eval first/,
  html: /^<!doctype html>/,
};

test.each(reporterNames)('%s', (name) => {
  expect(renderEvalReport(name, reportOf(trialsOf('a', 'SF')), tools)).toMatch(begins[name]);
  const compared = renderEvalReport(name, comparisonOf(trialsOf('a', 'SF'), trialsOf('a', 'FF')), tools);
  expect(compared === '').toBe(name === 'junit');
});

test('the same trials give the same bytes, ended by a line feed', () => {
  fc.assert(
    fc.property(arbTrials, fc.constantFrom(...reporterNames), (trials, name) => {
      const rendered = renderEvalReport(name, reportOf(trials), tools);
      expect(rendered.endsWith('\n')).toBe(true);
      expect(renderEvalReport(name, reportOf(trials), tools)).toBe(rendered);
    }),
    fuzzCases(50),
  );
});
