import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPaths, linesOf, shownPath, unquotePath } from '../../../src/adapters/git/quoted-path.ts';
import { scratchFolder } from '../../support/scratch.ts';

/** Every byte that a name can have. */
const name = fc
  .uint8Array({ min: 1, minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'))
  .filter((text) => !text.includes('/') && !/^\.{1,2}$|^\.?git/i.test(text));

test('names that git itself has quoted come back byte for byte', () => {
  const cwd = scratchFolder();
  const git = (args: readonly string[], input: Buffer | string = '') =>
    execFileSync('git', ['-c', 'core.quotePath=true', ...args], { cwd, input });
  git(['init', '--quiet']);
  const blob = git(['hash-object', '-w', '--stdin']).toString().trim();
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 50 }), (names) => {
      git(['read-tree', '--empty']);
      git(['update-index', '-z', '--index-info'], joinPaths(names.map((path) => `100644 ${blob}\t${path}`)));
      const quoted = linesOf(git(['ls-files']).toString('utf8'));
      expect(quoted.map(unquotePath).toSorted()).toEqual(names.toSorted());
      expect(quoted.join('')).toMatch(/^[ -~]*$/);
    }),
    // Each case starts git: more of them are not worth their time.
    { numRuns: 40 },
  );
});

test('shown as text, with a sign where there is none', () => {
  expect(shownPath(unquotePath(String.raw`"\303\274 \360\237\230\200\\\a\b\t\n\v\f\r\""`))).toBe(
    'ü \u{1F600}\\\u0007\b\t\n\v\f\r"',
  );
  expect(shownPath('\u00ffx')).toBe('\uFFFDx');
});
