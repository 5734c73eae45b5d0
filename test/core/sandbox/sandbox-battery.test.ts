import { expect, test } from 'vitest';
import { escapeNames, escapes, judgeEscape } from '../../../src/core/sandbox/sandbox-battery.ts';

test('what was found outside counts more than what the program inside says', () => {
  expect(judgeEscape('home', { said: 'held: EROFS\n', seen: null })).toEqual({
    name: 'home',
    outcome: 'held',
    detail: 'EROFS',
  });
  expect(judgeEscape('home', { said: 'held: ', seen: 'x was written' })).toMatchObject({
    outcome: 'escaped',
    detail: 'x was written',
  });
  expect(judgeEscape('home', { said: 'noise\nescaped: read it\n', seen: null })).toMatchObject({
    outcome: 'escaped',
    detail: 'read it',
  });
});

test.each([null, '', 'something else'])('%j is no verdict', (said) => {
  expect(judgeEscape('network', { said, seen: null }).outcome).toBe('not_tried');
});

test('every way has its words', () => {
  expect(escapeNames.length).toBe(new Set(Object.values(escapes)).size);
});
