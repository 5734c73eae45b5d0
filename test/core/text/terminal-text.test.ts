import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanLine, cleanText, renderTerminal } from '../../../src/core/text/terminal-text.ts';
import { fuzzCases } from '../../support/fuzz.ts';

const esc = '\u001b';
/** Everything a result may not hold. */
const forbidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff\u{e0000}-\u{e007f}]/u;

const noisyText = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\r', '\n', '\r\n', '\b', '\t', '\u0007', '\u0018', '\ud800', '\udc00'),
      fc
        .constantFrom('', '[', ']', 'P', '^', '_', 'X', '(', '\\', 'M', '[1;31m', '[?25', '[2K')
        .map((rest) => `${esc}${rest}`),
      fc.constantFrom('\u0085', '\u0090', '\u009b', '\u009b31m', '\u009c', '\u009d'),
      fc.constantFrom('\u202e', '\u200b', '\u2028', '\u{e0041}'),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('renderTerminal', () => {
  test.each([
    ['plain text and tabs stay as they are', 'a\tb\n\tc  \n\n', 'a\tb\n\tc  \n\n'],
    ['CRLF becomes LF', 'a\r\nb\r\n', 'a\nb\n'],
    ['several CR before LF too', 'a\r\r\nb', 'a\nb'],
    ['CR overwrites', '10%\r20%\r100%', '100%'],
    ['CR overwrites only what is written over', 'abcdef\rXY', 'XYcdef'],
    ['CR at the end erases nothing', 'abc\r', 'abc'],
    ['CR stays in its line', 'one\ntwo\rX', 'one\nXwo'],
    ['backspace', 'ab\b\bX', 'Xb'],
    ['backspace stops at the margin', 'a\n\b\bb', 'a\nb'],
    ['overstruck text', 'b\bbo\bol\bld\bd _\bx', 'bold x'],
    ['a tab is one character', 'a\tb\rX', 'X\tb'],
    ['hidden characters take no room', 'ab\u200bcd\u0007\rXXX', 'XXXd'],
    ['letters beyond the first plane take one place', '😀b\rX', 'Xb'],
    ['controls vanish', 'a\u0007\u0000\u000b\u000c\u007fb', 'ab'],
    ['colours', `${esc}[1;31mred${esc}[0m ${esc}[38;5;8mgrey${esc}[m ${esc}[38:2:8:8:8mrgb`, 'red grey rgb'],
    ['moves and erasures are not applied', `abc${esc}[2K${esc}[1Ad${esc}[H${esc}7${esc}M`, 'abcd'],
    ['modes and intermediates', `${esc}[?25la${esc}[1 qb${esc}[!pc${esc}[>4;8md`, 'abcd'],
    ['title', `${esc}]0;evil\u0007a${esc}]2;evil${esc}\\b`, 'ab'],
    ['hyperlink', `${esc}]8;;https://evil.example${esc}\\text${esc}]8;;${esc}\\`, 'text'],
    [
      'device, privacy, application and other strings',
      `${esc}Pevil${esc}\\a${esc}^evil${esc}\\b${esc}_evil${esc}\\c${esc}Xevil${esc}\\d`,
      'abcd',
    ],
    ['eight-bit forms', `\u009b1;31ma\u009devil\u009cb\u0090evil\u0007c\u0085d\u009f\u009ce`, 'abcde'],
    ['a string ends with its line', `a${esc}]evil\nb\u009devil\r\nc`, 'a\nb\nc'],
    ['a cancelled string', `${esc}]evil\u0018a${esc}]evil\u001ab`, 'ab'],
    ['a string cut off by another sequence', `${esc}]evil${esc}[2Ka`, 'a'],
    ['character sets', `${esc}(Ba${esc}#8b${esc}%Gc`, 'abc'],
    ['two-byte escapes', `${esc}=a${esc}>b${esc}cc`, 'abc'],
    ['a command cut off by another', `abc${esc}[3${esc}[1mx`, 'abcx'],
    ['a command cut off by a control', `abc${esc}[3\rX`, 'Xbc'],
    ['a command cut off by a letter beyond ASCII', `a${esc}[2éb`, 'aéb'],
    ['an escape cut off by a letter beyond ASCII', `a${esc}éb`, 'aéb'],
    ['an escape cut off by the line', `a${esc}\nb${esc}[1\nc${esc}(\nd`, 'a\nb\nc\nd'],
    ['sequences cut off by the end', `a${esc}[2`, 'a'],
    ['an escape at the end', `a${esc}`, 'a'],
    [
      'bidi, zero-width and tag characters',
      'a\u202eb\u2066c\u200e\u061cd\u200b\u200d\u2060\ufeffe\u{e0041}f\u2028g',
      'abcdefg',
    ],
    ['lone surrogates and noncharacters', 'a\ud800b\udc00c\uffffd\ufdd0e\u{1fffe}f', 'abcdef'],
    ['letters beyond ASCII and beyond the first plane', 'é…😀漢', 'é…😀漢'],
  ])('%s', (_name, text, shown) => {
    expect(renderTerminal(text)).toBe(shown);
  });

  test('is itself on text without controls', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), (lines) => {
        const text = lines.join('\n').replaceAll('\u007f', '');
        expect(renderTerminal(text)).toBe(text);
        expect(cleanText(text)).toBe(text);
      }),
    );
  });

  test('leaves no control or hidden character, keeps the number of lines and is stable', () => {
    fc.assert(
      fc.property(noisyText, (text) => {
        const shown = renderTerminal(text);
        expect(shown).not.toMatch(forbidden);
        expect(shown.length).toBeLessThanOrEqual(text.length);
        expect(shown.split('\n')).toHaveLength(text.split('\n').length);
        expect(renderTerminal(shown)).toBe(shown);
      }),
      fuzzCases(2000),
    );
  });

  test('each line is rendered on its own', () => {
    fc.assert(
      fc.property(noisyText, noisyText, (one, two) => {
        expect(renderTerminal(`${one}\n${two}`)).toBe(`${renderTerminal(one)}\n${renderTerminal(two)}`);
      }),
    );
  });

  // Quadratic work on a megabyte would take minutes, longer than a test may.
  test.each([
    ['escapes', esc],
    ['commands that never end', `${esc}[`],
    ['parameters', '1;', `${esc}[`],
    ['intermediates', ' ', esc],
    ['strings that never end', `${esc}]`],
    ['eight-bit strings that never end', '\u009d'],
    ['eight-bit strings on lines of their own', '\u009d\n'],
    ['carriage returns', '\r'],
    ['overwritten text', 'ab\r'],
    ['backspaces', '\b'],
    ['text taken back', 'ab\b\b'],
  ])('a megabyte of %s takes linear time', (_name, unit, start = '') => {
    const text = start + unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(renderTerminal(`${text}\nx`)).toMatch(/^(?:|ab|\n*)\nx$/u);
    expect(cleanText(`${text}\nx`)).toMatch(/\nx$/u);
  });
});

describe('cleanText', () => {
  test.each([
    ['sequences', `a${esc}[31mb${esc}]0;evil\u0007c${esc}(Bd`, 'abcd'],
    ['line breaks', 'a\r\nb\rc\u2028d\u2029e\tf', 'a\nb\nc\nd\ne\tf'],
    ['controls', 'a\u0007\u0000\u007f\bb', 'ab'],
    ['hidden characters', 'a\u202e\u200b\ufeff\ud800b', 'ab'],
  ])('%s', (_name, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test('leaves no control or hidden character and is stable', () => {
    fc.assert(
      fc.property(noisyText, (text) => {
        const clean = cleanText(text);
        expect(clean).not.toMatch(forbidden);
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});

describe('cleanLine', () => {
  test('folds white space and trims', () => {
    expect(cleanLine(`  a\r\n\tb \u00a0 c${esc}[2K\n`)).toBe('a b c');
  });

  test('is always one line', () => {
    fc.assert(
      fc.property(noisyText, (text) => {
        expect(cleanLine(text)).not.toMatch(/[\n\t]|^\s|\s$|\s\s/u);
      }),
    );
  });
});
