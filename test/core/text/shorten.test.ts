import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byteLength, shortenMiddle } from '../../../src/core/text/shorten.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('a', 'é', '…', '😀', '\n', '\ud83d', '\ude00'), maxLength: 400 }),
);

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

describe('byteLength', () => {
  test.each([
    ['', 0],
    ['a\u007f', 2],
    ['\u0080\u07ff', 4],
    ['\u0800\uffff', 6],
    ['😀', 4],
    ['\ud83d', 3],
    ['\ude00', 3],
    ['\ud83d\ud83d\ude00', 7],
    ['\ude00\ud83d', 6],
    ['\ud83da', 4],
  ])('%j is %i bytes', (text, bytes) => {
    expect(byteLength(text)).toBe(bytes);
  });

  test('equals what an encoder writes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

describe('shortenMiddle', () => {
  test('leaves a text that fits exactly alone', () => {
    expect(shortenMiddle('é'.repeat(50), 100)).toBe('é'.repeat(50));
  });

  test('keeps head and tail and says how much is missing', () => {
    const short = shortenMiddle('a'.repeat(100) + 'z'.repeat(100), 90);
    expect(short).toBe(`${'a'.repeat(30)}\n[… 140 bytes left out …]\n${'z'.repeat(30)}`);
    expect(byteLength(short)).toBe(90);
  });

  test('gives the marker alone when only that fits', () => {
    expect(shortenMiddle('a'.repeat(200), 30)).toBe('\n[… 200 bytes left out …]\n');
  });

  test('gives a whole-character prefix when not even the marker fits', () => {
    expect(shortenMiddle('😀'.repeat(10), 7)).toBe('😀');
    expect(shortenMiddle('😀'.repeat(10), 3)).toBe('');
    expect(shortenMiddle('abc', 0)).toBe('');
  });

  test('never splits a character at either end', () => {
    for (let bytesMax = 0; bytesMax < 200; bytesMax += 1)
      expect(isWellFormed(shortenMiddle('😀'.repeat(50), bytesMax))).toBe(true);
  });

  test('cuts at line breaks that are near', () => {
    const line = 'x'.repeat(19);
    const text = Array.from({ length: 50 }, (_, at) => `${String(at).padStart(2, '0')}${line}`).join('\n');
    const lines = shortenMiddle(text, 260).split('\n');
    const marker = lines.findIndex((entry) => entry.startsWith('[…'));
    expect(marker).toBeGreaterThan(0);
    for (const entry of lines.toSpliced(marker, 1)) expect(entry).toHaveLength(21);
    expect(lines[marker]).toBe(
      `[… ${byteLength(text) - byteLength(lines.toSpliced(marker, 1).join('\n')) + 1} bytes left out …]`,
    );
  });

  test('does not give up much of a part for a line break that is far', () => {
    const text = `a\n${'b'.repeat(500)}\nc`;
    const short = shortenMiddle(text, 200);
    expect(byteLength(short)).toBe(200);
  });

  test('is bounded, stable, keeps both ends and never splits a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 500 }), (text, bytesMax) => {
        const short = shortenMiddle(text, bytesMax);
        expect(byteLength(short)).toBeLessThanOrEqual(bytesMax);
        expect(shortenMiddle(short, bytesMax)).toBe(short);
        if (isWellFormed(text)) expect(isWellFormed(short)).toBe(true);
        const [head, tail] = short.split(/\n\[… \d+ bytes left out …\]\n/u);
        expect(text.startsWith(String(head))).toBe(true);
        if (tail !== undefined) {
          const left = Number(/\[… (\d+) bytes left out …\]/u.exec(short)?.[1]);
          expect(text.endsWith(tail)).toBe(true);
          expect(byteLength(String(head)) + left + byteLength(tail)).toBe(byteLength(text));
        }
      }),
    );
  });
});
