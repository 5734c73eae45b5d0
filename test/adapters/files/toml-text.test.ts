import { expect, test } from 'vitest';
import { parseTomlText } from '../../../src/adapters/files/toml-text.ts';

test('values, or the place where it stops being TOML', () => {
  expect(parseTomlText('a = 1\n[b]\nc = ["x"]\n')).toEqual({ ok: true, value: { a: 1, b: { c: ['x'] } } });
  expect(parseTomlText('a = 1\nb = \n')).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^line 2, column \d+: this is not valid TOML: \S/) as unknown,
    cause: { name: 'Error' },
  });
  expect(parseTomlText('a = 1\na = 2\n')).toMatchObject({ ok: false });
});
