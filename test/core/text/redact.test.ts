/** Secrets are taken out in every place and form, and over two writes; ordinary text stays as it is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactDeep, redactedWord, redactor } from '../../../src/core/text/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k';
const { redact } = redactor([]);
const secrets = {
  github: `ghp_${body}`,
  'github, fine': `github_pat_${body}`,
  gitlab: `glpat-${body}`,
  npm: `npm_${body}`,
  'openai and anthropic': `sk-ant-api03-${body}`,
  stripe: `sk_live_${body}`,
  aws: ['AKIA', 'QYLPMN5HFIQR7XYA'].join(''),
  google: `AIza${body.slice(5)}`,
  'google, short': `ya29.${body}`,
  slack: `xoxb-1234567890-${body}`,
  factory: `fk-${body}`,
  'hugging face': `hf_${body}`,
  jwt: `eyJ${body}.eyJ${body}.${body}`,
};

test.each(Object.entries(secrets))('%s', (_name, secret) => {
  const forms = [
    secret,
    `a ${secret}`,
    `"x": "${secret}"`,
    `é\n(${secret})`,
    JSON.stringify({ text: `\n${secret}\n` }),
    JSON.stringify(JSON.stringify({ text: `\n${secret}\n` })),
    `\u001b[31m${secret}\u001b[0m`,
    `${secret.slice(0, 9)}\u001b[1m${secret.slice(9)}`,
    `https://example.test/?x=${encodeURIComponent(`a ${secret}`)}&y=1`,
  ];
  for (const text of forms) {
    const left = redact(text);
    expect(left).toContain(redactedWord);
    expect(left).not.toContain(secret.slice(-12));
  }
});

test('what stands where a secret stands', () => {
  expect(redact(`Authorization: Bearer ${body}`)).toBe(`Authorization: Bearer ${redactedWord}`);
  expect(redact(`curl -H "authorization: basic dXNlcjpwYXNz" x`)).toBe(
    `curl -H "authorization: basic ${redactedWord}" x`,
  );
  expect(redact('curl -s -u me:pa55word https://x.test')).toBe(
    `curl -s -u me:${redactedWord} https://x.test`,
  );
  expect(redact(`bearer ${body}`)).toBe(`bearer ${redactedWord}`);
  expect(redact('postgres://me:pa55@db:5432/x')).toBe(`postgres://me:${redactedWord}@db:5432/x`);
  expect(redact('MY_API_KEY=abcdefgh1 next')).toBe(`MY_API_KEY=${redactedWord} next`);
  expect(redact('"DB_PASSWORD": "hunter2hunter2"')).toBe(`"DB_PASSWORD": "${redactedWord}"`);
  const slack = `T${body.slice(0, 8)}/B${body.slice(8, 16)}/${body.slice(0, 24)}`;
  expect(redact(`to hooks.slack.com/services/${slack} and hooks.slack.com`)).toBe(
    `to ${redactedWord} and hooks.slack.com`,
  );
});

test('rules that allow something', () => {
  const plain = [
    ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
    `public_key = "${body}"`,
    `import { key } from '${body}'`,
    'secret_key = "abcabcabcabcabc1"',
    'token = "somepassword1234567890qwerty"',
    'facebook and facebook 1234',
  ];
  for (const text of plain) expect(redact(text)).toBe(text);
  expect(redact(`api_key = "${body}"`)).toBe(`api_key = "${redactedWord}"`);
});

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
    const filler = `${'ordinary words '.repeat(8)}\n`.repeat(540);
    const stream = redactor([]).stream();
    const pieces = [
      ...stream.write(`${filler}${begin}\n${line}\n`),
      ...stream.write(`${line}\n${filler}`),
      ...stream.end(),
    ];
    expect(pieces.map(({ text }) => text).join('')).toBe(
      `${filler}${begin}\n${hidden}\n${hidden}\n${filler}`,
    );
  });
});

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

test('ordinary text stays as it is', () => {
  const plain = [
    'ok 1 - tokens: 12, cost 0.03',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'http://127.0.0.1:3001/api/tree',
    'https://example.test/a?b=c@d',
    'task-list sk-ip risk-based-testing-of-things',
    'the token is missing; set TOKEN in the environment',
    'sha512-abc/def+ghi==',
    'MAX_TOKENS=1000000000 API_KEY=$OTHER_KEY_OF_MINE TOKEN=<your token>',
  ].join('\n');
  expect(redact(plain)).toBe(plain);
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom('pass', 'fail', 'token', 'a.ts:3:1', '-----', '{"a":1}', '\n', '\\', '%', '\u001b'),
      ),
      (words) => {
        expect(redact(words.join(' '))).toBe(words.join(' '));
      },
    ),
  );
});

test('every text of a value', () => {
  const value = { a: `x ${secrets.npm}`, b: [1, null, secrets.npm], c: { d: true, [secrets.npm]: 'e' } };
  expect(redactDeep(value, redact)).toEqual({
    a: `x ${redactedWord}`,
    b: [1, null, redactedWord],
    c: { d: true, [secrets.npm]: 'e' },
  });
});
