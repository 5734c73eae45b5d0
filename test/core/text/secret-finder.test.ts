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

const secret = 'correct-horse-battery-é-three';
const [left, right] = [secret.slice(0, 9), secret.slice(9)];
const again = left.slice(-1);
/** What programs print between two parts of a value, so that only its reader sees all of it. */
const splits = {
  'nothing hidden': '',
  'a character twice and a backspace': `\b${again}`,
  'more and as many backspaces': 'xyz\b\b\b',
  NUL: '\0',
  'a control character': '\u0001',
  DEL: '\u007f',
  'zero width': '\u200b',
  'a soft hyphen': '\u00ad',
  'a byte order mark': '\ufeff',
  'a tag': '\u{e0041}',
  'a colour in eight bits': '\u009b31m',
  'a title in eight bits': '\u009d0;title\u009c',
  'a title that a control character ends': '\u001b]0;title\u0018',
  'a set of characters': '\u001b(B',
  'a character of three bytes, deleted': '“\b',
};

test.each(Object.entries(splits))('a value with %s in it', (_name, split) => {
  for (const [before, behind] of [
    ['', ''],
    ['“é” ', ' \u0001“'],
    ['50%41 \\n ', ' \r'],
  ] as const) {
    const line = `${before}${left}${split}${right}${behind}`;
    for (const text of [line, `one\n${line}\ntwo\n`]) {
      expect(redactor([secret]).redact(text)).toBe(
        text.replace(`${left}${split}${right}`, () => redactedWord),
      );
    }
    const bytes = Buffer.from(`${line}\n`);
    for (const cut of [bytes.indexOf(left), bytes.indexOf(left) + 9, bytes.indexOf(left) + 10]) {
      const stream = redactor([secret, Buffer.from(secret).toString('latin1')]).stream({ isBytes: true });
      const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => part.toString('latin1'));
      const pieces = [...parts.flatMap((part) => stream.write(part)), ...stream.end()];
      const shown = Buffer.from(pieces.map(({ text }) => text).join(''), 'latin1').toString();
      expect(shown).toBe(`${before}${redactedWord}${behind}\n`);
    }
  }
});

test('a value that is written over something else, or half over itself', () => {
  const { redact } = redactor([secret]);
  expect(redact(`loading\r${left}\0${right}`)).toBe(`loading\r${redactedWord}`);
  expect(redact(`xxxx${secret.slice(4)} 50 %\r${secret.slice(0, 4)}`)).toBe(`xxxx${redactedWord}`);
  expect(redact(`${left}\0${right}\rdone`)).toBe(`${redactedWord}\rdone`);
});

test('in the JSON of an answer, which stays JSON', () => {
  const { redact } = redactor([secret]);
  for (const split of Object.values(splits).filter((one) => !one.includes('\b'))) {
    const text = JSON.stringify({ a: `x ${left}${split}${right} y`, b: 1 });
    expect(JSON.parse(redact(text))).toEqual({ a: `x ${redactedWord} y`, b: 1 });
    const coded = text.replaceAll(
      /[^ -~]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(JSON.parse(redact(coded))).toEqual({ a: `x ${redactedWord} y`, b: 1 });
  }
  // A backspace vanishes in the words of an agent.
  const answer = JSON.stringify({ a: `${left}\b${right}` });
  expect(redact(answer)).toBe(`{"a":"${redactedWord}"}`);
});

test('a value that has hidden characters itself', () => {
  const { redact } = redactor(['one\u200btwo-three\r']);
  for (const text of ['one\u200btwo-three\r', 'onetwo-three', 'on\0etwo-three'])
    expect(redact(text)).toBe(redactedWord);
});

test('what looks like a secret, with something hidden in it', () => {
  const token = ['npm', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'].join('_');
  expect(redactor([]).redact(`${token.slice(0, 12)}\u200b${token.slice(12)}`)).toBe(redactedWord);
});
