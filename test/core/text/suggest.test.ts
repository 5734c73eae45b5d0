import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suggest } from '../../../src/core/text/suggest.ts';

const commands = ['init', 'start', 'status', 'step', 'select', 'loop', 'log', 'tree'];

describe('suggest', () => {
  test.each([
    ['lop', 'loop'],
    ['loopp', 'loop'],
    ['stpe', 'step'],
    ['lgo', 'log'],
    ['stauts', 'status'],
    ['STEP', 'step'],
    ['tere', 'tree'],
    ['st', null],
    ['', null],
    ['destroy', null],
    ['xxxxxxxxxxxx', null],
    // The first of two that are equally near.
    ['sta3t', 'start'],
  ])('%j gives %j', (word, expected) => {
    expect(suggest(word, commands)).toBe(expected);
  });

  test('the nearest wins, wherever it stands', () => {
    expect(suggest('root.1.10', ['root.1.2', 'root.1.11', 'root.1.1'])).toBe('root.1.11');
    expect(suggest('root.1.10', ['root.1.100', 'root.1.10', 'root.1.1'])).toBe('root.1.10');
    expect(suggest('root.1', [])).toBeNull();
  });

  const arbWord = fc.stringMatching(/^[a-z0-9._-]{3,12}$/);

  test('a word is found again after one slip of any kind', () => {
    const arbSlip = fc.record({
      word: arbWord,
      at: fc.nat({ max: 11 }),
      letter: fc.constantFrom('x', 'é', '.'),
      kind: fc.constantFrom('more', 'other', 'exchanged'),
    });
    fc.assert(
      fc.property(arbSlip, ({ word, at, letter, kind }) => {
        const place = at % (word.length - 1);
        const [head, tail] = [word.slice(0, place), word.slice(place)];
        const slipped = {
          more: `${head}${letter}${tail}`,
          other: `${head}${letter}${tail.slice(1)}`,
          exchanged: `${head}${tail[1] ?? ''}${tail[0] ?? ''}${tail.slice(2)}`,
        }[kind];
        expect(suggest(slipped, [word])).toBe(word);
      }),
    );
  });

  test('it only ever names a word it was given, and finds every one of them', () => {
    fc.assert(
      fc.property(arbWord, fc.array(arbWord, { maxLength: 8 }), (word, known) => {
        expect([null, ...known]).toContain(suggest(word, known));
        for (const each of known) expect(suggest(each, known)).toBe(each);
      }),
    );
  });
});
