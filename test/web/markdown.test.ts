import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, parseSpans } from '../../src/web/markdown.ts';
import type { Block, Span } from '../../src/web/markdown.ts';

const text = (words: string): Span => ({ kind: 'text', text: words });

describe('blocks', () => {
  test.each<[string, readonly Block[]]>([
    ['', []],
    [
      '# Goal #\nMake it\nwork.',
      [
        { kind: 'heading', level: 1, spans: [text('Goal')] },
        { kind: 'paragraph', spans: [text('Make it work.')] },
      ],
    ],
    [
      '- one\n  goes on\n  - two\n3) three',
      [
        { kind: 'item', depth: 0, mark: '•', spans: [text('one goes on')] },
        { kind: 'item', depth: 1, mark: '•', spans: [text('two')] },
        { kind: 'item', depth: 0, mark: '3)', spans: [text('three')] },
      ],
    ],
    [
      '- one\u2028more\n- two',
      [
        { kind: 'item', depth: 0, mark: '•', spans: [text('one\u2028more')] },
        { kind: 'item', depth: 0, mark: '•', spans: [text('two')] },
      ],
    ],
    [
      '> said\nand more\n\n---\nend',
      [
        { kind: 'quote', spans: [text('said and more')] },
        { kind: 'rule' },
        { kind: 'paragraph', spans: [text('end')] },
      ],
    ],
    [
      '```js title\nlet a;\n```',
      [
        { kind: 'paragraph', spans: [{ kind: 'code', text: 'js title' }] },
        { kind: 'code', text: 'let a;' },
      ],
    ],
    [
      '````\n# no heading\n```\n````\nafter',
      [
        { kind: 'code', text: '# no heading\n```' },
        { kind: 'paragraph', spans: [text('after')] },
      ],
    ],
    [
      'It runs:\n\n    npm test\n\n\tnpm run lint\n\n- one\n\n    of it\n',
      [
        { kind: 'paragraph', spans: [text('It runs:')] },
        { kind: 'code', text: 'npm test\n\nnpm run lint' },
        { kind: 'item', depth: 0, mark: '•', spans: [text('one')] },
        { kind: 'paragraph', spans: [text('of it')] },
      ],
    ],
    ['goes\n    on', [{ kind: 'paragraph', spans: [text('goes on')] }]],
    ['~~~\nnever closed', [{ kind: 'code', text: 'never closed' }]],
    ['<script>alert(1)</script>', [{ kind: 'paragraph', spans: [text('<script>alert(1)</script>')] }]],
  ])('%j', (source, blocks) => {
    expect(parseMarkdown(source)).toEqual(blocks);
  });
});

test.each<[string, readonly Span[]]>([
  ['a `b*c*` d', [text('a '), { kind: 'code', text: 'b*c*' }, text(' d')]],
  [
    '**bold** and *slanted*',
    [{ kind: 'strong', text: 'bold' }, text(' and '), { kind: 'emphasis', text: 'slanted' }],
  ],
  [
    '__bold__ _slanted_ snake_case_name',
    [
      { kind: 'strong', text: 'bold' },
      text(' '),
      { kind: 'emphasis', text: 'slanted' },
      text(' snake_case_name'),
    ],
  ],
  ['[x](javascript:alert(1))', [text('[x](javascript:alert(1))')]],
  ['[docs](https://a.invalid/b)', [{ kind: 'link', text: 'docs', address: 'https://a.invalid/b' }]],
  ['2 * 3 * 4', [text('2 * 3 * 4')]],
])('spans: %j', (source, spans) => {
  expect(parseSpans(source)).toEqual(spans);
});

test('no letter is lost, whatever the marks', () => {
  const words = (block: Block): string =>
    'spans' in block
      ? block.spans.map((span) => ('address' in span ? `${span.text}${span.address}` : span.text)).join('')
      : 'text' in block
        ? block.text
        : '';
  const letters = (source: string): string => source.replaceAll(/[^a-z]/g, '');
  const piece = fc.constantFrom(
    'word',
    ' ',
    '\n',
    '\n\n',
    '# ',
    '- ',
    '> ',
    '`',
    '**',
    '_',
    '[a](b)',
    '    ',
    '1. ',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const source = pieces.join('');
      expect(letters(parseMarkdown(source).map(words).join(''))).toBe(letters(source));
    }),
  );
});

test('a hostile text takes no time', () => {
  for (const source of [
    '*'.repeat(200_000),
    '[a]('.repeat(50_000),
    '`'.repeat(200_000),
    '_a'.repeat(100_000),
    '> '.repeat(100_000),
  ])
    expect(parseMarkdown(source).length).toBeGreaterThan(0);
}, 20_000);
