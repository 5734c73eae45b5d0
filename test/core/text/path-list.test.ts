import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dirtyPathsShownMax } from '../../../src/core/limits.ts';
import { listPaths } from '../../../src/core/text/path-list.ts';

test('paths are quoted, and those past the limit are counted', () => {
  expect(listPaths([])).toBe('');
  expect(listPaths(['a b', 'c"d'])).toBe(String.raw`"a b", "c\"d"`);
  const many = Array.from({ length: dirtyPathsShownMax + 3 }, (_, at) => `f${at}`);
  expect(listPaths(many)).toMatch(/^"f0", .*"f19", and 3 more$/);
  expect(listPaths(many.slice(0, dirtyPathsShownMax))).not.toContain('more');
});

test('whatever the names, it is one line that can be read back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: dirtyPathsShownMax }), (paths) => {
      const line = listPaths(paths);
      expect(line).not.toMatch(/[\n\r\0]/);
      expect(JSON.parse(`[${line}]`)).toEqual(paths);
    }),
  );
});
