import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFirstError, parseAnsi } from '../../../src/web/iteration/ansi.ts';
import { textOf } from '../../../src/web/iteration/log-rows.ts';

function flat(text: string): readonly (readonly string[])[] {
  return parseAnsi(text).lines.map((line) => line.map(({ text: part, cls }) => `${cls}|${part}`));
}

describe('parseAnsi', () => {
  test.each([
    ['plain\n\nlines', [['|plain'], [], ['|lines']]],
    ['\u001B[31mred\u001B[0m not', [['fg1|red', '| not']]],
    ['\u001B[1;92mok\u001B[22m.\u001B[39m!', [['fg10 bold|ok', 'fg10|.', '|!']]],
    ['\u001B[44mon\u001B[49m', [['bg4|on']]],
    ['\u001B[31mone\ntwo', [['fg1|one'], ['fg1|two']]],
    ['\u001B[38;5;196mred\u001B[m', [['fg9|red']]],
    ['\u001B[38;2;250;10;10mred', [['fg9|red']]],
    ['\u001B[48;5;244;1mx', [['bg8 bold|x']]],
    ['\u001B[38;5mx', [['fg0|x']]],
    ['1 %\r2 %\r3 %\r100 %\r\ndone', [['dim|[3 times written over] ', '|100 %'], ['|done']]],
    ['error\rok\r\n', [['|error', '|\r', '|ok'], []]],
    ['\u001B]8;;http://evil.invalid\u0007link\u001B]8;;\u0007', [['|link']]],
    ['\u001B[2J\u001B[Hcleared', [['|cleared']]],
    [
      '\u001B[7minv\u001B[27m\u001B[3mi\u001B[23m\u001B[4mu\u001B[24m',
      [['inverse|inv', 'italic|i', 'underline|u']],
    ],
    ['a\u0007b', [['|a\u0007b']]],
    ['\u001B[99999999999999999999mx', [['|x']]],
  ])('%j', (text, lines) => {
    expect(flat(text)).toEqual(lines);
  });

  test('class names come from a fixed list, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.array(fc.nat(300), { maxLength: 6 }).map((codes) => `\u001B[${codes.join(';')}m`),
      fc.constantFrom('\u001B[', '\u001B]0;t', '\n', '\r', '\u009B31m', '<b class=x>'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        for (const span of parseAnsi(pieces.join('')).lines.flat()) {
          expect(span.cls).toMatch(/^(?:(?:[fb]g(?:1[0-5]|\d)|bold|dim|italic|underline|inverse)(?: |$))*$/);
          expect(span.text).not.toContain('\u001B');
        }
      }),
    );
  });

  test('a text in two pieces gives the same lines as in one', () => {
    const first = parseAnsi('\u001B[31mone');
    expect(parseAnsi('two', first.style).lines).toEqual([[{ text: 'two', cls: 'fg1' }]]);
  });
});

describe('findFirstError', () => {
  test.each([
    ['ok\nerror: no\nmore', 1],
    ['12 passed, 0 failed\nno errors', null],
    ['failed: 0\nnot ok 2 - it', 1],
    ['terror and failover', null],
    ['\u001B[31m✗ broken\u001B[0m', 0],
    ['thread main panicked at', 0],
  ])('%j', (text, line) => {
    expect(findFirstError(parseAnsi(text).lines.map(textOf))).toBe(line);
  });
});
