/** "Did you mean" (issue: messages): near words only, and the same answer for the same words. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { suggest } from '../../src/core/suggest.ts';

test.each([
  ['stpe', ['start', 'step', 'stop'], 'step'],
  ['agent.protect', ['agent.name', 'guard.protect'], 'guard.protect'],
  ['xyzzy', ['start', 'step'], null],
  ['ab', ['ac'], null],
  ['step', ['step'], 'step'],
  ['abcdefgh', [], null],
])('%s among %j: %s', (word, known, near) => {
  expect(suggest(word, known)).toBe(near);
});

test('the first of the nearest wins, and a known word is its own nearest', () => {
  expect(suggest('abcd', ['abcx', 'abcy'])).toBe('abcx');
  const words = fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(words, (known) => {
      const plain = known.filter((word) => !word.includes('.'));
      for (const word of plain) expect(suggest(word, plain)).toBe(word);
    }),
  );
});
