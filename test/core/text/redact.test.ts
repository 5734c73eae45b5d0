/** Secrets are taken out in every place and form; ordinary text stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k';
const key = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----\nMII${body}\n${body}\n`;
const secrets = {
  github: `ghp_${body}`,
  'github, fine': `github_pat_${body}`,
  gitlab: `glpat-${body}`,
  npm: `npm_${body}`,
  pypi: `pypi-${body}${body}`,
  'openai and anthropic': `sk-ant-api03-${body}`,
  stripe: `sk_live_${body}`,
  aws: ['AKIA', 'ABCDEFGH12345678'].join(''),
  google: `AIza${body}`,
  'google, short': `ya29.${body}`,
  slack: `xoxb-1234567890-${body}`,
  factory: `fk-${body}`,
  'hugging face': `hf_${body}`,
  jwt: `eyJ${body}.eyJ${body}.${body}`,
  'private key': `${key('')}-----END PRIVATE KEY-----`,
  'rsa key': `${key('RSA ')}-----END RSA PRIVATE KEY-----`,
  'key without end': key('EC '),
};

test.each(Object.entries(secrets))('%s', (_name, secret) => {
  const redact = redactor([]);
  const lines = secret.split('\n').filter((line) => line.includes(body.slice(0, 16)));
  for (const text of [secret, `a ${secret}`, `"x": "${secret}"`, `é\n(${secret}`]) {
    const left = redact(text);
    expect(left).toContain(redactedWord);
    expect(left).not.toContain(secret);
    for (const line of lines) expect(left).not.toContain(line);
  }
});

test('what stands where a secret stands', () => {
  const redact = redactor([]);
  expect(redact(`Authorization: Bearer ${body}`)).toBe(`Authorization: Bearer ${redactedWord}`);
  expect(redact(`curl -H "authorization: basic dXNlcjpwYXNz" x`)).toBe(
    `curl -H "authorization: basic ${redactedWord}" x`,
  );
  expect(redact(`bearer ${body}`)).toBe(`bearer ${redactedWord}`);
  expect(redact('postgres://me:pa55@db:5432/x')).toBe(`postgres://me:${redactedWord}@db:5432/x`);
  expect(redact('MY_API_KEY=abcdefgh1 next')).toBe(`MY_API_KEY=${redactedWord} next`);
  expect(redact('"DB_PASSWORD": "hunter2hunter2"')).toBe(`"DB_PASSWORD": "${redactedWord}"`);
  expect(redact(`${body}\n-----END PRIVATE KEY-----\nrest`)).toBe(`${redactedWord}\nrest`);
});

test('known values go wherever they stand, the longest first, short ones not at all', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
      expect(redactor([secret])(`${before}${secret}${after}`)).toContain(redactedWord);
      if (!redactedWord.includes(secret)) expect(redactor([secret])(secret)).toBe(redactedWord);
    }),
  );
  expect(redactor(['abcdef', 'abcdefgh'])('abcdefgh abcdef')).toBe(`${redactedWord} ${redactedWord}`);
  expect(redactor(['$&$&$&'])('x$&$&$&')).toBe(`x${redactedWord}`);
  expect(redactor(['abc', ''])('abc')).toBe('abc');
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
  ].join('\n');
  expect(redactor([])(plain)).toBe(plain);
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('pass', 'fail', 'token', 'a.ts:3:1', '-----', '{"a":1}', '\n')),
      (words) => {
        expect(redactor([])(words.join(' '))).toBe(words.join(' '));
      },
    ),
  );
});
