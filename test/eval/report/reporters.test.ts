/** `--reporter`: what is asked for, and one sentence about what is wrong. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseReporters, reporterNames } from '../../../src/eval/report/reporters.ts';

test('names and files, in one option or several', () => {
  expect(parseReporters([])).toEqual({ ok: true, reports: [] });
  expect(parseReporters(['text,junit=out/a=b.xml', 'html=r.html'])).toEqual({
    ok: true,
    reports: [
      { name: 'text', file: null },
      { name: 'junit', file: 'out/a=b.xml' },
      { name: 'html', file: 'r.html' },
    ],
  });
});

test.each([
  ['junti', "there is no reporter 'junti' here; did you mean 'junit'?"],
  ['yaml', "there is no reporter 'yaml' here; it is one of text, json, junit, markdown, html"],
  ['text,', 'a reporter has no name; it is one of text, json, junit, markdown, html'],
  ['html=', "the file of the reporter 'html' is missing"],
  [
    'text,json',
    'only one reporter can write to standard output, not text and json; give the others a file: json=<file>',
  ],
  ['html=x,markdown=x', "two reporters would write the file 'x'"],
])('%s', (text, message) => {
  expect(parseReporters([text])).toEqual({ ok: false, message });
});

test('only the ones that make sense here', () => {
  expect(parseReporters(['junit=x'], ['text', 'html'])).toEqual({
    ok: false,
    message: "there is no reporter 'junit' here; it is one of text, html",
  });
});

test('any text is understood or refused with one line', () => {
  const arbPart = fc.tuple(fc.constantFrom(...reporterNames, 'x'), fc.option(fc.string({ maxLength: 5 })));
  fc.assert(
    fc.property(fc.array(arbPart, { maxLength: 4 }), (parts) => {
      const parsed = parseReporters(parts.map(([name, file]) => (file === null ? name : `${name}=${file}`)));
      if (!parsed.ok) expect(parsed.message).toMatch(/^[a-z]/);
      else expect(parsed.reports.filter(({ file }) => file === null).length).toBeLessThanOrEqual(1);
    }),
  );
});
