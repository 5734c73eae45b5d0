import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../../src/core/guard/glob-matcher.ts';

describe('globMatcher', () => {
  test.each([
    ['test/a.ts', ['test/**'], true],
    ['test/.hidden/a.ts', ['test/**'], true],
    ['test/a.ts', ['test'], true],
    ['test/a.ts', ['./test/'], true],
    ['test/a.ts', ['/test'], true],
    ['test/a.ts', ['**/*.ts'], true],
    ['test/a.ts', ['*.ts'], false],
    ['tests/a.ts', ['test'], false],
    ['test/a.ts', [], false],
    ['test/a.ts', [''], false],
    ['test/a.ts', ['x', 'test/*'], true],
  ])('%s by %j: %s', (path, globs, matches) => {
    expect(globMatcher({ prefix: '', globs })(path)).toBe(matches);
  });

  test('globs are relative to the project folder', () => {
    const matches = globMatcher({ prefix: 'sub/', globs: ['test/**'] });
    expect(['sub/test/b', 'sub/other', 'test/a'].filter(matches)).toEqual(['sub/test/b']);
  });
});
