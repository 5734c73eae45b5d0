import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../../src/core/iteration/initial-files.ts';
import {
  findAnswer,
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
  [
    'a heading that asks',
    '\n## Are amounts in cents?\n\nThe goal does not say.\n',
    ['Are amounts in cents?'],
  ],
  [
    'what is said below a heading that asks',
    '## Which port?\n- 80\n- 8080\n\nI took 80. Wrong?\n## Why?\nIs it so?\n',
    ['Which port?', 'I took 80. Wrong?', 'Why?'],
  ],
  ['a question after one in a heading', '## One?\n\nBecause.\n\nTwo?\n', ['One?', 'Two?']],
  ['an item after a question in a heading', '## One?\n\n- two?\n', ['One?', 'two?']],
  ['a heading as the topic', '## Currency\n\nThe goal does not say.\n', ['Currency: The goal does not say.']],
  ['a topic of more', '## root.1\n\nTo decide.\n\nOne?\n', ['root.1: To decide.', 'One?']],
  ['a topic of a list', '## root.1\n\n- to decide\n- One?\n', ['to decide', 'One?']],
  ['Windows line ends', '- one?\r\n\r\n- two?\r\n', ['one?', 'two?']],
  ['what a terminal obeys', '- \u001B[2Jone?\u0007\n- \u200B\n', ['one?']],
])('%s', (_what, text, expected) => {
  expect(listOpenQuestions(`${initial}${text}`, '')).toEqual(expected);
});

test('what has no heading above it but the title is a question by itself', () => {
  expect(listOpenQuestions('# Open\n\nThe goal does not say.\n', '')).toEqual(['The goal does not say.']);
  expect(listOpenQuestions('# Cents?\n\nThe goal does not say.\n', '')).toEqual(['Cents?']);
  const [asked] = numberQuestions([{ iter: 4, text: `${initial}## Cents?\n\nThe goal does not say.\n` }]);
  expect(asked).toEqual({ id: '4.1', text: 'Cents?\nThe goal does not say.' });
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
  const entry = fc.constantFrom('- a?', '- b?', 'c?', '  more', 'text', '', '# h', '## d?');
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
  expect(findAnswer(answers.replaceAll('\n', '\r\n'), question.text)).toBe('8080');
  expect(findAnswer(answers, 'Which port?')).toBe('8080');
  expect(findAnswer(answers, 'It matters.')).toBe(null);
  expect(findAnswer('> quoted first', 'quoted first')).toBe('');
  expect(findAnswer('> quoted first\n', 'quoted first')).toBe('');
  expect(findAnswer(`${answers}\nor 80\n\n### 2.2\n\n> Other?\n\nno\n`, 'Which port?')).toBe('8080\n\nor 80');
  expect(findAnswer('> One?\n\nyes\n> Two?\n\nno\n', 'One?')).toBe('yes');
  expect(listOpenQuestions('- Which port?\n  It matters.\n- Other?\n', answers)).toEqual(['Other?']);
});
