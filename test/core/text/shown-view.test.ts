/** A line as it is shown is what the renderers make of it, and each character knows where it came from. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenStarts, shownViews } from '../../../src/core/text/shown-view.ts';
import { cleanText, hidden, renderTerminal } from '../../../src/core/text/terminal-text.ts';

const arbLine = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'bc',
        'é',
        '“',
        '😀',
        '\t',
        '\r',
        '\b',
        '\0',
        '\u0001',
        '\u200b',
        '\u009b31m',
        '\u009d',
      ),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]8;;x\u0007',
        '\u001b(B',
        '\u001b',
        '\ufe0f',
        '\u{e0041}',
        '\ud800',
      ),
      fc.string({ unit: 'binary', maxLength: 2 }).map((text) => text.replaceAll('\n', '')),
    ),
  )
  .map((parts) => parts.join(''));

/** CR and LF in one are two ends of a line here; both are none of a secret. */
const cleaned = (line: string): string => cleanText(line.replaceAll('\r', '\n'));
/** Nothing is hidden, but lines may end. */
const isPlain = (line: string): boolean => !hidden.test(line.replaceAll(/[\r\u2028\u2029]/g, ''));

test('the text is that of the renderers', () => {
  fc.assert(
    fc.property(arbLine, (line) => {
      const texts = shownViews(line, { isBytes: false, isLog: true }).map(({ text }) => text);
      const wanted = isPlain(line) ? [] : [cleaned(line)];
      expect(texts).toEqual(/[\r\b]/.test(line) ? [...wanted, renderTerminal(line)] : wanted);
      const words = shownViews(line, { isBytes: false, isLog: false }).map(({ text }) => text);
      expect(words).toEqual(wanted);
    }),
  );
});

test('a text of several lines: what acts stays within its line', () => {
  const [, log] = shownViews('ab\nxy\b\b\bz\rw', { isBytes: false, isLog: true });
  expect(log?.text).toBe('ab\nwy');
});

test('of bytes it is that of the text which they mean, valid or not', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        arbLine.map((line) => Buffer.from(line)),
        fc.uint8Array(),
      ),
      (bytes) => {
        const data = Buffer.from(bytes).subarray(0, 40);
        const as = { isLog: true } as const;
        const texts = shownViews(data.toString('latin1'), { ...as, isBytes: true }).map(({ text }) => text);
        expect(texts).toEqual(
          shownViews(data.toString('utf8'), { ...as, isBytes: false }).map(({ text }) => text),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('the part of the source of each character, all of it where it is several bytes', () => {
  fc.assert(
    fc.property(arbLine, fc.boolean(), (line, isBytes) => {
      const source = isBytes ? Buffer.from(line).toString('latin1') : line;
      for (const view of shownViews(source, { isBytes, isLog: true })) {
        let at = 0;
        for (const char of view.text) {
          const { start, end } = view.sourceOf(at, at + char.length);
          const part = source.slice(start, end);
          const read = isBytes ? Buffer.from(part, 'latin1').toString() : part;
          expect(read.replace(/[\r\u2028\u2029]/, '\n')).toBe(char);
          at += char.length;
        }
      }
    }),
  );
});

test('characters in another order: all between them', () => {
  const source = '1234efgh rest\rabcd';
  const log = shownViews(source, { isBytes: false, isLog: true }).at(-1);
  expect(log?.text).toBe('abcdefgh rest');
  expect(log?.sourceOf(0, 8)).toEqual({ start: 4, end: 18 });
});

test('the bytes of every hidden character are found, those of no other', { timeout: 60_000 }, () => {
  const wrong: string[] = [];
  for (let point = 0; point < 0x110000; point += 1) {
    // Surrogates have no bytes; a line feed ends a line.
    if (point === 10 || (point >= 0xd800 && point <= 0xdfff)) continue;
    const char = String.fromCodePoint(point);
    const bytes = Buffer.from(char).toString('latin1');
    const isHidden = hidden.test(char);
    const isFound = char.search(hiddenStarts.text) === 0;
    const isText = char.length === 2 || isFound === isHidden;
    if (!isText || (bytes.search(hiddenStarts.bytes) === 0) !== isHidden) wrong.push(point.toString(16));
  }
  expect(wrong).toEqual([]);
  for (const start of Object.values(hiddenStarts)) {
    expect('a line\r\n'.search(start)).toBe(-1);
    expect('a\rline\r\n'.search(start)).toBe(1);
  }
});
