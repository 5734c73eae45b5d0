import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCasePlace } from '../../../src/eval/cases/case-place.ts';

const text = `fixture = "a"
checks_note = [ 1 ]
[case]
  id = "x"
[config.guard]
command = ["[checks]"]
[files]
"src/a b.js" = """
[case]
id = 1
"""
[[checks]]
type = "tree"
[[checks]]
type = "command_fails"
[checks.env]
A = "b"
`;

test.each([
  [['fixture'], 1, 1],
  [['case'], 3, 1],
  [['case', 'id'], 4, 3],
  [['case', 'goal'], 3, 1],
  [['config', 'guard', 'command', 0], 6, 1],
  [['files', 'src/a b.js'], 8, 1],
  [['checks', 0], 12, 1],
  [['checks', 0, 'type'], 13, 1],
  [['checks', 1, 'type'], 15, 1],
  [['checks', 1, 'cmd'], 14, 1],
  [['checks', 1, 'env', 'A'], 17, 1],
  [['checks', 1, 'env', 'B'], 16, 1],
])('%j stands at %d:%d', (path, line, column) => {
  expect(findCasePlace(text, path)).toEqual({ line, column });
});

test('what the file does not speak of has no place; what is written in one line has that of its table', () => {
  expect(findCasePlace(text, ['oracle'])).toBeNull();
  expect(findCasePlace(text, [])).toBeNull();
  expect(findCasePlace(text, ['checks', 2])).toBeNull();
  expect(findCasePlace('\nchecks = [{ type = "x" }]', ['checks', 0, 'type'])).toEqual({ line: 2, column: 1 });
});

test('no text and no path makes it throw, and every place is in the text', () => {
  const words = fc.constantFrom(
    '[',
    ']',
    '[[checks]]\n',
    '[case]\n',
    'id',
    ' = ',
    '"',
    '"""',
    '\n',
    '.',
    '#',
    'checks',
    '{',
    '}',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words).map((parts) => parts.join('')),
      ),
      fc.array(fc.oneof(fc.constantFrom('checks', 'case', 'id'), fc.nat({ max: 3 }))),
      (made, path) => {
        const place = findCasePlace(made, path);
        if (place === null) return;
        const line = made.split('\n')[place.line - 1];
        expect(place.column).toBeGreaterThanOrEqual(1);
        expect(place.column).toBeLessThanOrEqual(String(line).length + 1);
      },
    ),
  );
});
