/** Texts, streams and values go through one redactor: what is no secret stays where it is, and JSON stays JSON. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactDeep, redactedWord, redactor } from '../../../src/core/text/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k';
const { redact } = redactor([]);
const secrets = { github: `ghp_${body}`, npm: `npm_${body}`, anthropic: `sk-ant-api03-${body}` };

test('a line of JSON stays one, whatever is redacted in it', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.string(), fc.constantFrom(...Object.values(secrets), '\n', '"', 'token=', '\\u', '\\')),
      ),
      fc.string({ minLength: 8 }),
      (words, value) => {
        const text = JSON.stringify({ text: words.join(' '), more: [value, `x\n${value}`] });
        expect(() => JSON.parse(redactor([value]).redact(text)) as unknown).not.toThrow();
      },
    ),
    { numRuns: 30 },
  );
  const paths = JSON.stringify({
    a: `C:\\${secrets.npm}`,
    b: `\n${secrets.npm}\\`,
    c: `\u0001${secrets.npm}`,
  });
  expect(JSON.stringify(JSON.parse(redact(paths)))).not.toContain(body);
});

describe('streams', () => {
  /** What was not redacted is where it was, and nothing is missing. */
  function checkPieces(text: string, parts: readonly string[], values: readonly string[]): string {
    const stream = redactor(values).stream();
    const pieces = [...parts.flatMap((part) => stream.write(part)), ...stream.end()];
    let at = 0;
    for (const piece of pieces) {
      if (!piece.isSecret) expect(text.slice(at, at + piece.length)).toBe(piece.text);
      at += piece.length;
    }
    expect(at).toBe(text.length);
    return pieces.map((piece) => piece.text).join('');
  }

  test('eager: every whole line at once, a key over several lines too', () => {
    const stream = redactor(['my-own-value']).stream({ isEager: true });
    const say = (text: string): string =>
      stream
        .write(text)
        .map((piece) => piece.text)
        .join('');
    expect(say('one\nmy-own')).toBe('one\n');
    expect(say('-value\n')).toBe('[redacted]\n');
    expect(say('-----BEGIN PRIVATE KEY-----\n')).not.toContain('abcd');
    expect(say(`${'abcd'.repeat(16)}\n`)).not.toContain('abcd');
  });

  test('split anywhere, the result is that of the whole', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('word ', '\n', secrets.github, 'my-own-value', '\\n', '%41', 'x'.repeat(30_000)),
        ),
        fc.array(fc.nat(100_000), { maxLength: 4 }),
        (words, cuts) => {
          const text = words.join('');
          const places = [
            0,
            ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b),
            text.length,
          ];
          const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
          const whole = redactor(['my-own-value']).redact(text);
          expect(checkPieces(text, parts, ['my-own-value'])).toBe(whole);
          expect(whole).not.toContain('my-own-value');
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a line that never ends', () => {
    const value = `v${body}`;
    for (const filler of ['word ', '\\n', '%41', 'é']) {
      const text = `${filler.repeat(Math.ceil(251_000 / filler.length))}${value}${filler.repeat(100_000)}`;
      const left = checkPieces(text, [text], [value]);
      expect(left).toContain(redactedWord);
      expect(left).not.toContain(value);
    }
    // Where the first piece would end, a few characters before and behind.
    const end = 4 * 65_536 - 8192 - 12 * value.length;
    for (const shift of [-40, -20, -1, 0, 1]) {
      const text = `${'x'.repeat(end + shift)}${value}${'x'.repeat(200_000)}`;
      expect(checkPieces(text, [text], [value])).not.toContain(body);
    }
  });
});

test('every text of a value', () => {
  const value = { a: `x ${secrets.npm}`, b: [1, null, secrets.npm], c: { d: true, [secrets.npm]: 'e' } };
  expect(redactDeep(value, redact)).toEqual({
    a: `x ${redactedWord}`,
    b: [1, null, redactedWord],
    c: { d: true, [secrets.npm]: 'e' },
  });
});

test('a text of many blocks is redacted like a short one', () => {
  const line = `${'x'.repeat(999)}\n`;
  const text = `${line.repeat(70)}my-own-value-1234\n${line.repeat(70)}`;
  const own = redactor(['my-own-value-1234']);
  expect(own.redact(text)).toBe(text.replace('my-own-value-1234', own.redact('my-own-value-1234')));
  expect(own.redact(text)).not.toContain('my-own-value-1234');
});
