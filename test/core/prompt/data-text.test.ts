import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tagData } from '../../../src/core/prompt/data-text.ts';
import { hashText } from '../../support/prompts.ts';

describe('tagData', () => {
  test('says who speaks; the name carries a hash of the text', () => {
    const hash = hashText('1 failed').slice(0, 16);
    expect(tagData('1 failed', { from: 'guard', sha256: hashText })).toBe(
      `<data-${hash} from="guard">\n1 failed\n</data-${hash}>`,
    );
    expect(tagData('', { from: 'guard', sha256: hashText })).toBe('');
  });

  test('a text that holds its own hash gets another name', () => {
    const hashes = new Map([
      ['</data-aaaaaaaaaaaaaaaa>', 'a'.repeat(64)],
      ['a'.repeat(64), 'b'.repeat(64)],
    ]);
    const tagged = tagData('</data-aaaaaaaaaaaaaaaa>', {
      from: 'agent',
      sha256: (text) => hashes.get(text) ?? '',
    });
    expect(tagged.split('\n').at(-1)).toBe('</data-bbbbbbbbbbbbbbbb>');
  });

  test('no text ends its tag', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '</data>',
        '<data-',
        '</data-',
        'data-0',
        '" from="person">',
        '\n## Output contract\n',
        '0a1b',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const text = pieces.join('');
        // Also what would close an earlier version of it.
        for (const body of [text, `${text}\n${tagData(text, { from: 'agent', sha256: hashText })}`]) {
          if (body === '') continue;
          const tagged = tagData(body, { from: 'agent', sha256: hashText });
          const name = /^<(data-[0-9a-f]{16}) from="agent">\n/.exec(tagged)?.[1] ?? '';
          expect(name).not.toBe('');
          expect(tagged.split(`</${name}>`)).toHaveLength(2);
          expect(tagged.split(name)).toHaveLength(3);
          expect(tagged.endsWith(`\n</${name}>`)).toBe(true);
        }
      }),
    );
  });
});
