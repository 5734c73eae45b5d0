/** What looks like a secret is one in every place and form; ordinary text stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';

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
  const again = `hooks.slack.com hooks.slack.com/services/${slack}`;
  expect(redact(again)).toBe(redact(again));
  expect(redact(again)).toBe(`hooks.slack.com ${redactedWord}`);
});

test('rules that allow something', () => {
  const plain = [
    ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
    `public_key = "${body}"`,
    `import { key } from 'x'; const key = '${body}'`,
    'secret_key = "abcabcabcabcabc1"',
    'token = "somepassword1234567890qwerty"',
    'facebook and facebook 1234',
  ];
  for (const text of plain) expect(redact(text)).toBe(text);
  expect(redact(`api_key = "${body}"`)).toBe(`api_key = "${redactedWord}"`);
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
