/** The frame of every eval page: its policy names its own style, and what is from outside is escaped. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  caseName,
  plotList,
  renderEvalPage,
  section,
  table,
  text,
  textLengthMax,
} from '../../../src/eval/report/page.ts';
import { evalStyle } from '../../../src/eval/report/style.ts';
import { tools } from '../../support/reports.ts';

test('one file, one style, no script', () => {
  const page = renderEvalPage({ title: 'a <b>', body: ['<p>x</p>'], warnings: [], hashOf: tools.hashOf });
  expect(page).toContain(
    `content="default-src 'none'; style-src 'sha256-${tools.hashOf(evalStyle)}'; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).toContain(`<style>${evalStyle}</style>`);
  expect(page).toContain('<title>a &lt;b&gt;</title>');
  expect(page).not.toMatch(/<script|https?:|url\(|Warnings/);
  expect(evalStyle).not.toContain('<');
  expect(renderEvalPage({ title: '', body: [], warnings: ['<x>'], hashOf: tools.hashOf })).toContain(
    '<li>&lt;x&gt;</li>',
  );
});

test('parts', () => {
  expect(section('a & b', 'x', 'y')).toBe('<section>\n<h2>a &amp; b</h2>\nx\ny\n</section>');
  const drawn = table('t"', [{ name: 'A' }, { name: 'B', isNumber: true }], [['1', '2', '3']]);
  expect(drawn).toContain('aria-label="t&quot;"');
  expect(drawn).toContain('<td class="name">1</td><td class="number">2</td><td class="name">3</td>');
  const row = { name: 'n', strip: '<svg/>', said: '<1 %' };
  expect(plotList([row], ['0', '1'])).toContain('<span class="number">&lt;1 %</span>');
  expect(plotList([row], ['0', '1'], true)).toContain('class="row is-long axis-row"');
  expect(caseName('a', null)).toBe('a');
  expect(caseName('a', '<b>')).toBe('a <small>&lt;b&gt;</small>');
});

test('text from outside is text, and not too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (from) => {
      expect(text(from).replaceAll(/<span class="mark">|<\/span>/g, '')).not.toMatch(/[<>"']/);
    }),
  );
  expect(text('x'.repeat(10_000)).length).toBeLessThan(textLengthMax + 100);
});
