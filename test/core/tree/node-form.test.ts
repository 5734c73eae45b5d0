/** The form of a node: what is rendered is read again as it was, and what cannot be read is told. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseForm, renderForm } from '../../../src/core/tree/node-form.ts';

const texts = {
  title: 'A title',
  goal: 'First line\n# not a comment\n\nlast: line',
  acceptance: ['one', 'two: x'],
};

test('a form as people see it', () => {
  expect(renderForm(texts, 'root/a'))
    .toBe(`# Node root/a. Save and close the editor to commit the change; leave the form as it is, or empty it, to change
# nothing. It is YAML in which everything is text.
title: A title
goal: |-
  First line
  # not a comment

  last: line
acceptance:
  - one
  - "two: x"
`);
});

test('any texts come back as they were', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '5',
      'null',
      'true',
      '',
      ' x ',
      '\n',
      'a\r\nb',
      '- x',
      '\u0085',
      '\uFEFF',
      '"',
      "'",
      '# x',
      'a: b',
      '|',
      '\t',
    ),
  );
  const any = fc.record({ title: text, goal: text, acceptance: fc.array(text, { maxLength: 3 }) });
  fc.assert(
    fc.property(any, (one) => {
      expect(parseForm(renderForm(one, 'root'))).toEqual({ ok: true, texts: one });
    }),
  );
});

describe('what people write', () => {
  test.each<[string, string, unknown]>([
    ['numbers and words are texts', 'title: 5\ngoal: yes', { title: '5', goal: 'yes' }],
    ['only one key', 'goal: |\n  x\n', { goal: 'x\n' }],
    ['an empty form', '# nothing\n', {}],
    ['an empty list', 'acceptance:\n', { acceptance: [] }],
    ['an empty goal', 'goal:\n', { goal: '' }],
    ['JSON', ' {"title": "T", "acceptance": ["a"]}', { title: 'T', acceptance: ['a'] }],
  ])('%s', (_name, text, wanted) => {
    expect(parseForm(text)).toEqual({ ok: true, texts: wanted });
  });

  test.each([
    ['goal: x\ngoal: y\n', /^line 2, column 1: /],
    ['title: [x', /^line \d, column \d+: /],
    ['just words', 'the form has no "title:", "goal:" or "acceptance:"'],
    ['titel: x', 'unknown key "titel"; a node has title, goal and acceptance'],
    ['? [a]\n: b', 'unknown key "?"; a node has title, goal and acceptance'],
    ['title:\n  a: b', '"title" must be a text'],
    ['goal: [x]', '"goal" must be a text'],
    ['acceptance: x', '"acceptance" must be a list of texts'],
    ['acceptance:\n  - a: b', '"acceptance" must be a list of texts'],
    ['{"title": 5}', '"title" must be a text'],
    ['{"acceptance": [5]}', '"acceptance" must be a list of texts'],
    ['{"title": "a", "title": "b"}', /line 1, column \d+/],
  ])('%s is refused', (text, message) => {
    const parsed = parseForm(text);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? '' : parsed.message).toMatch(message);
  });
});
