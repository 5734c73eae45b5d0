import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../src/core/iteration/initial-files.ts';
import { listQuestions } from '../../../src/core/agents/questions.ts';

const initial = memoryFiles['state/questions.md'];

test.each([
  ['a new file', '', []],
  ['a list', '- one?\n- two?\n', ['one?', 'two?']],
  ['a numbered list', '1. one?\n2) two?\n', ['one?', 'two?']],
  ['items with more text', '- one?\n  because of\n\n  this\n* two?\n', ['one?', 'two?']],
  ['only indented text', '    one?\n', ['one?']],
  ['paragraphs', 'One?\nIt matters.\n\nTwo?\n', ['One?', 'Two?']],
  ['a paragraph, then a list', 'Open:\n- one?\n', ['Open:', 'one?']],
  ['headings', '## root.1\n\nOne?\n\n## root.2\nTwo?\n###\n', ['One?', 'Two?']],
  ['Windows line ends', '- one?\r\n\r\n- two?\r\n', ['one?', 'two?']],
  ['what a terminal obeys', '- \u001B[2Jone?\u0007\n- \u200B\n', ['one?']],
])('%s', (_what, text, expected) => {
  expect(listQuestions(`${initial}${text}`)).toEqual(expected);
});

test('each further item is one question more, whatever was there', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (before) => {
      const count = listQuestions(before).length;
      expect(listQuestions(`${before}\n- one more?\n`)).toHaveLength(count + 1);
    }),
  );
});
