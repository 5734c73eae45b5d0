import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ignoredPaths,
  ignorePattern,
  renderIgnoreCommand,
} from '../../../src/core/iteration/ignore-lines.ts';

describe('ignoredPaths', () => {
  test.each([
    ['a new file beside tracked ones', ['report.xml'], ['a.txt'], ['report.xml']],
    ['a new folder, once', ['build/b.o', 'build/x/a.o'], ['a.txt'], ['build/']],
    ['a new folder below a tracked one', ['src/gen/a.ts', 'src/gen/b.ts'], ['src/a.ts'], ['src/gen/']],
    ['a new file in a tracked folder', ['src/a.js'], ['src/a.ts'], ['src/a.js']],
    ['a folder that only begins like a tracked one', ['lib/x'], ['library/y'], ['lib/']],
    ['sorted', ['z', 'b/x', 'a'], [], ['a', 'b/', 'z']],
    ['not what stands in the place of a tracked folder', ['src', 'new'], ['src/a/b'], ['new']],
    ['nothing', [], ['a'], []],
  ])('%s', (_name, added, tracked, expected) => {
    expect(ignoredPaths({ added, tracked })).toEqual(expected);
  });

  const part = fc.constantFrom('a', 'b', 'build', 'x.o');
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

  test('covers every new path and no tracked one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path), fc.uniqueArray(path), (added, others) => {
        const tracked = others.filter((other) => !added.includes(other));
        const lines = ignoredPaths({ added, tracked });
        const covers = (line: string, at: string): boolean =>
          line.endsWith('/') ? at.startsWith(line) : at === line;
        const isFolder = (at: string): boolean => tracked.some((other) => other.startsWith(`${at}/`));
        for (const at of added) expect(lines.some((line) => covers(line, at))).toBe(!isFolder(at));
        for (const at of tracked) expect(lines.some((line) => covers(line, at))).toBe(false);
        expect(lines).toEqual([...new Set(lines)].toSorted());
      }),
    );
  });
});

describe('ignorePattern', () => {
  test.each([
    ['build/', 'build/'],
    ['a b.txt', '/a b.txt'],
    ['#folder/', String.raw`\#folder/`],
    ['!folder/a', String.raw`\!folder/a`],
    ['ünïcode/日本.txt', 'ünïcode/日本.txt'],
    ['*.o', String.raw`/\*.o`],
    ['a[1]?\\', String.raw`/a\[1]\?\\`],
    ['#note', '/#note'],
    ['a#!b', '/a#!b'],
    [' two  spaces ', '/?two? spaces?'],
    ['line\nfeed\ttab\u001b[2K', String.raw`/line?feed?tab?\[2K`],
    ['joined\u200dhere', '/joined???here'],
    ['latin\u{fffd}', '/latin?'],
  ])('%j is %s', (path, pattern) => {
    expect(ignorePattern(path)).toBe(pattern);
  });
});

describe('renderIgnoreCommand', () => {
  const commit = 'git add .gitignore && git commit -m "ignore what the guard makes"';

  test.each([
    ['one plain line', ['build/a'], '', `echo 'build/' >> .gitignore && ${commit}`],
    [
      'more lines',
      ['build/a', "it's"],
      '',
      String.raw`printf '%s\n' 'build/' '/it'\''s' >> .gitignore && ${commit}`,
    ],
    ['a backslash', ['a*'], '', String.raw`printf '%s\n' '/a\*' >> .gitignore && ${commit}`],
    ['what echo takes for a flag', ['-n/a'], '', String.raw`printf '%s\n' '-n/' >> .gitignore && ${commit}`],
    ['inside the project folder', ['app/build/a'], 'app/', `echo 'build/' >> .gitignore && ${commit}`],
    [
      'outside of it',
      ['app/build/a', 'cache'],
      'app/',
      String.raw`cd "$(git rev-parse --show-toplevel)" && printf '%s\n' 'app/build/' '/cache' >> .gitignore && ${commit}`,
    ],
  ])('%s', (_name, added, prefix, expected) => {
    expect(renderIgnoreCommand({ added, tracked: ['app/x', 'y'], prefix })).toBe(expected);
  });

  test('names at most twenty, and is none when no line helps', () => {
    expect(renderIgnoreCommand({ added: ['app'], tracked: ['app/x'], prefix: '' })).toBeNull();
    const added = Array.from({ length: 30 }, (_, k) => `new-${k}`);
    expect(renderIgnoreCommand({ added, tracked: [], prefix: '' })?.match(/'\/new-/gu)).toHaveLength(20);
  });
});
