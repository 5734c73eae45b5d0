import fc from 'fast-check';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { isInsidePath, pathNames } from '../../../src/core/text/inside-path.ts';

test.each([
  ['a', true],
  ['a/b.txt', true],
  ['./a//b/.', true],
  ['...', true],
  ['..a', true],
  ['', false],
  ['.', false],
  ['../', false],
  ['..', false],
  ['a/..', false],
  ['a/../b', false],
  [String.raw`a\..\b`, false],
  ['/a', false],
  [String.raw`\a`, false],
  ['C:a', false],
  ['a\0b', false],
])('%j: %s', (path, is) => expect(isInsidePath(path)).toBe(is));

test('a path that is inside stays there, and its names lead to the same place', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '.', '..', '', '...', 'b c')), (parts) => {
      const path = parts.join('/');
      if (!isInsidePath(path)) return;
      const full = posix.join('/root', path);
      expect(full.startsWith('/root/')).toBe(true);
      expect(posix.join('/root', ...pathNames(path))).toBe(full.replace(/\/$/, ''));
    }),
  );
});
