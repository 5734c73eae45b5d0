/** Codes are decoded, and each character knows where it came from. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainViews } from '../../../src/core/text/plain-view.ts';
import type { PlainView } from '../../../src/core/text/plain-view.ts';

const plainView = (source: string): PlainView | undefined => plainViews(source).at(-1);

const coded = [
  { code: 'a', plain: 'a' },
  { code: '\\n', plain: '\n' },
  { code: '\\"', plain: '"' },
  { code: '\\u0041', plain: 'A' },
  { code: '\\x42', plain: 'B' },
  { code: '%43', plain: 'C' },
  { code: '\u001b[31m', plain: '' },
  { code: '\u001b]8;;x\u0007', plain: '' },
  { code: '\\u001b[0m', plain: '' },
  { code: '\\033[1;2m', plain: '' },
  { code: '\\e[K', plain: '' },
];

test('the text, and the part of the source of each character', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...coded), { minLength: 1 }), (all) => {
      const source = all.map(({ code }) => code).join('');
      const text = all.map(({ plain }) => plain).join('');
      const view = plainView(source);
      expect(view?.text ?? source).toBe(text);
      const places = all.map(
        (_, index) =>
          all
            .slice(0, index)
            .map(({ code }) => code)
            .join('').length,
      );
      const chars = all
        .map((one, index) => ({ ...one, at: places[index] ?? 0 }))
        .filter(({ plain }) => plain !== '');
      for (const [index, { at, code }] of chars.entries()) {
        if (view !== undefined)
          expect(view.sourceOf(index, index + 1)).toEqual({ start: at, end: at + code.length });
      }
    }),
  );
});

test('nothing to decode', () => {
  for (const text of ['', 'plain', '50 % of it', 'C:\\Users', '%zz']) expect(plainViews(text)).toEqual([]);
});

test('three layers of JSON, no more', () => {
  const wrap = (text: string): string => JSON.stringify(text).slice(1, -1);
  const secret = 'a"b';
  expect(plainView(wrap(wrap(wrap(secret))))?.text).toBe(secret);
  expect(plainView(wrap(wrap(wrap(wrap(secret)))))?.text).not.toBe(secret);
});
