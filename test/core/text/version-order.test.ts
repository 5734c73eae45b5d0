import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAtLeast, isNewerThanAll } from '../../../src/core/text/version-order.ts';

test.each([
  ['20.19.0', '20.19', true],
  ['20.18.9', '20.19', false],
  ['22.0.0', '20.19', true],
  ['9.99', '20.19', false],
  ['git version 2.39.5 (Apple Git-154)', '2.36', true],
  ['20', '20.19', false],
  ['no number', '1', false],
])('%s is at least %s: %s', (version, wanted, answer) => {
  expect(isAtLeast(version, wanted)).toBe(answer);
});

test.each<readonly [string, readonly string[], boolean]>([
  ['codex-cli 0.167.0', ['0.166.0'], true],
  ['codex-cli 0.166.0', ['0.166.0'], false],
  ['2.1.200 (Claude Code)', ['2.1.197', '2.1.325'], false],
  ['2.1.326 (Claude Code)', ['2.1.197', '2.1.325'], true],
  ['no number', ['1.0'], false],
  ['9.9', [], false],
])('%s is newer than all of %j: %s', (version, known, answer) => {
  expect(isNewerThanAll(version, known)).toBe(answer);
});

test('of two versions never both are newer than the other', () => {
  const version = fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isNewerThanAll(a, [b]) && isNewerThanAll(b, [a])).toBe(false);
      expect(isAtLeast(a, b) || isAtLeast(b, a)).toBe(true);
    }),
  );
});
