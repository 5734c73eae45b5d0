import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../src/core/iteration/initial-files.ts';
import {
  isAnswered,
  listOpenQuestions,
  numberQuestions,
  renderAnswer,
} from '../../../src/core/agents/questions.ts';

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
  expect(listOpenQuestions(`${initial}${text}`, '')).toEqual(expected);
});

test('each further item is one question more, whatever was there', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (before) => {
      const count = listOpenQuestions(before, '').length;
      expect(listOpenQuestions(`${before}\n- one more?\n`, '')).toHaveLength(count + 1);
    }),
  );
});

test('a question keeps its id while others come and go', () => {
  const versions = [
    { iter: 0, text: '' },
    { iter: 2, text: '- one?\n- two?\n  really\n' },
    { iter: 0, text: '- two?\n  really\n' },
    { iter: 3, text: '- two?\n  really so\n- two?\n- one?\n' },
    { iter: 3, text: '- two?\n  really so\n- two?\n- one?\n- four?\n' },
  ];
  expect(numberQuestions(versions)).toEqual([
    { id: '2.2', text: 'two?\nreally so' },
    { id: '3.1', text: 'two?' },
    { id: '3.2', text: 'one?' },
    { id: '3.3', text: 'four?' },
  ]);
});

test('ids are unique, and appending changes none of them', () => {
  const entry = fc.constantFrom('- a?', '- b?', 'c?', '  more', '', '# h');
  fc.assert(
    fc.property(fc.array(fc.array(entry), { minLength: 1 }), (parts) => {
      const versions = parts.map((_part, at) => ({
        iter: at + 1,
        text: parts
          .slice(0, at + 1)
          .map((part) => `${part.join('\n')}\n\n`)
          .join('# next\n'),
      }));
      const before = numberQuestions(versions.slice(0, -1)).map(({ id }) => id);
      const all = numberQuestions(versions).map(({ id }) => id);
      expect(new Set(all).size).toBe(all.length);
      expect(all.slice(0, before.length)).toEqual(before);
    }),
  );
});

test('an answer quotes its question, which is how it is known', () => {
  const question = { id: '2.1', text: 'Which port?\nIt matters.' };
  const answers = `# Answers\n\n${renderAnswer(question, ' 8080\n')}`;
  expect(answers).toBe('# Answers\n\n### 2.1\n\n> Which port?\n> It matters.\n\n8080\n');
  expect(isAnswered(answers.replaceAll('\n', '\r\n'), question.text)).toBe(true);
  expect(isAnswered(answers, 'Which port?')).toBe(true);
  expect(isAnswered(answers, 'It matters.')).toBe(false);
  expect(isAnswered('> quoted first\n', 'quoted first')).toBe(true);
  expect(listOpenQuestions('- Which port?\n  It matters.\n- Other?\n', answers)).toEqual(['Other?']);
});
