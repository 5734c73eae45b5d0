import { expect, test } from 'vitest';
import { isRenewal } from '../../../src/core/sandbox/login-renewal.ts';

const before = '{"tokens":{"access":"a","refresh":"b","scopes":["x"]},"at":1,"account":null}';

test.each([
  ['new tokens', '{"tokens":{"access":"c","refresh":"d","scopes":["x","y"]},"at":2,"account":"me"}', true],
  [
    'one key more',
    '{"tokens":{"access":"c","refresh":"d","scopes":[]},"at":2,"account":null,"plan":"pro"}',
    true,
  ],
  [
    'a value that is gone',
    '{"tokens":{"access":"c","refresh":"d","scopes":null},"at":2,"account":null}',
    true,
  ],
  ['a key that is gone', '{"tokens":{"access":"c","scopes":[]},"at":2,"account":null}', false],
  ['another type', '{"tokens":{"access":1,"refresh":"d","scopes":[]},"at":2,"account":null}', false],
  ['a list for an object', '{"tokens":[],"at":2,"account":null}', false],
  [
    'an object for a list',
    '{"tokens":{"access":"c","refresh":"d","scopes":{}},"at":2,"account":null}',
    false,
  ],
  ['what every object inherits', '{"tokens":{"access":"c"},"at":2}', false],
  ['no object', '[]', false],
  ['no JSON', 'token', false],
  ['nothing', '', false],
])('%s', (_name, after, wanted) => {
  expect(isRenewal(before, after)).toBe(wanted);
});

test.each([
  ['sealed again', 'aGk=:dGFn:c2VhbGVk', 'aWk=:dGFo:c2VhbGVkLg==\n', true],
  ['no longer sealed', 'aGk=:dGFn:c2VhbGVk', '{"hooks":{}}', false],
  ['sealed now', '{"token":"a"}', 'aGk=:dGFn:c2VhbGVk', false],
  ['a command for a key', '{"a":{"key":"k"}}', '{"a":{"key":"!touch x"}}', false],
  ['a command in a new key', '{"a":{"key":"k"}}', '{"a":{"key":"k"},"b":[{"key":"!touch x"}]}', false],
  [
    'a command that was there',
    '{"a":{"key":"!op read x"},"b":"1"}',
    '{"a":{"key":"!op read x"},"b":"2"}',
    true,
  ],
])('%s', (_name, old, now, wanted) => {
  expect(isRenewal(old, now)).toBe(wanted);
});

test('a login that is no JSON is never brought back', () => {
  expect(isRenewal('token-a', 'token-b')).toBe(false);
  expect(isRenewal('{"constructor":"a"}', '{}')).toBe(false);
  expect(isRenewal('[]', '{}')).toBe(false);
});
