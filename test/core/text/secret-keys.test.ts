/** Private keys, whole and cut off, in a log and in a JSON text; nothing else goes with them. */
import { describe, expect, test } from 'vitest';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k';
const { redact } = redactor([]);
describe('private keys', () => {
  const line = `${body}${body.slice(0, 24)}`;
  const begin = '-----BEGIN RSA PRIVATE KEY-----';
  const end = '-----END RSA PRIVATE KEY-----';
  const hidden = redactedWord;

  test('the lines of the key, whole or cut off', () => {
    expect(redact(`${begin}\n${line}\n${line}\nabc=\n${end}\nrest`)).toBe(
      `${begin}\n${hidden}\n${hidden}\n${hidden}\n${end}\nrest`,
    );
    expect(redact(`x\n${line}\nab+c\n${end}\n${line}`)).toBe(`x\n${hidden}\n${hidden}\n${end}\n${line}`);
    expect(redact(`${begin} ${line} ${line} ${end} ${line}`)).toBe(
      `${begin} ${hidden} ${hidden} ${end} ${line}`,
    );
    const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n';
    expect(redact(`${begin}\n${headers}\n${line}\n${end}`)).toBe(`${begin}\n${headers}\n${hidden}\n${end}`);
  });

  test('without an end only what looks like the key', () => {
    const rest = 'Error: no end\n    at f (a.ts:1:2)\nok';
    expect(redact(`${begin}\n${line}\nab12\n${rest}`)).toBe(`${begin}\n${hidden}\n${hidden}\n${rest}`);
    expect(redact(`${begin}\n${line}\n${rest}\n${line}`)).toBe(`${begin}\n${hidden}\n${rest}\n${line}`);
    expect(redact(`${begin}\n${rest}\n${line}`)).toBe(`${begin}\n${rest}\n${line}`);
    expect(redact(begin)).toBe(begin);
  });

  test('inside a JSON text, which stays one', () => {
    const text = JSON.stringify({ key: `${begin}\n${line}\n${line}\n${end}\n`, other: line });
    const left: unknown = JSON.parse(redact(text));
    expect(left).toEqual({ key: `${begin}\n${hidden}\n${hidden}\n${end}\n`, other: line });
  });

  test('certificates, public keys and other ends stay', () => {
    const plain = `-----BEGIN CERTIFICATE-----\n${line}\n-----END CERTIFICATE-----\n-----begin-----\n-----end`;
    expect(redact(plain)).toBe(plain);
  });

  test('a key over two blocks of a stream', () => {
    const first = `${begin}\n${line}\n`;
    const filler = 'ordinary words\n'.repeat(5000);
    // So that the first block ends inside the key.
    const before = `${filler.slice(0, 65_536 - first.length - 1)}\n`;
    const stream = redactor([]).stream();
    const pieces = [
      ...stream.write(`${before}${first}`),
      ...stream.write(`${line}\n${filler}`),
      ...stream.end(),
    ];
    expect(pieces.map(({ text }) => text).join('')).toBe(
      `${before}${begin}\n${hidden}\n${hidden}\n${filler}`,
    );
  });
});
