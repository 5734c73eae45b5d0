/** Known values are found wherever they are and however they are written. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';

test('known values go wherever they stand, short ones not at all', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8, unit: 'binary' }),
      fc.string(),
      fc.string(),
      (secret, before, after) => {
        expect(redactor([secret]).redact(`${before}${secret}${after}`)).toContain(redactedWord);
      },
    ),
    // Each one makes a redactor of its own.
    { numRuns: 30 },
  );
  expect(redactor(['abcdefgh', 'abcdefghij']).redact('abcdefghij abcdefgh')).toBe(
    `${redactedWord} ${redactedWord}`,
  );
  expect(redactor(['$&$&$&$&']).redact('x$&$&$&$&')).toBe(`x${redactedWord}`);
  expect(redactor(['abc', '']).redact('abc')).toBe('abc');
  expect(redactor(['']).redact('')).toBe('');
});

test('known values in every form, also mixed', () => {
  const value = 'pä"ss/wör\\d%41 12';
  // The same as bytes, which is what a percent code stands for.
  const redactValue = redactor([value, 'pÃ¤"ss/wÃ¶r\\d%41 12']).redact;
  fc.assert(
    fc.property(
      fc.constantFrom(
        value,
        JSON.stringify(value).slice(1, -1),
        encodeURIComponent(JSON.stringify(value).slice(1, -1)),
        JSON.stringify(JSON.stringify(value)).slice(3, -3),
        value.replaceAll(/./gs, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
        `${value.slice(0, 4)}\u001b[31m${value.slice(4)}`,
      ),
      fc.constantFrom('', 'x', '"', ': ', '\u001b[0m'),
      (form, around) => {
        expect(redactValue(`${around}${form}${around}`)).toBe(`${around}${redactedWord}${around}`);
      },
    ),
  );
});

test('an escape that only looks like the beginning of a value stays whole', () => {
  const text = JSON.stringify({ a: 'Abcdefghij', b: 1 }).replace('A', '\\u0041');
  expect(redactor(['u0041bcdefghij']).redact(text)).toBe(`{"a":"\\u0041${redactedWord}","b":1}`);
});
