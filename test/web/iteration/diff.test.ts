import { expect, test } from 'vitest';
import { parseDiff, unquote } from '../../../src/web/iteration/diff.ts';

const patch = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ function a
 one
-two
+2
+--- two and a half
 three
\\ No newline at end of file
diff --git a/old name.txt b/new name.txt
similarity index 90%
rename from old name.txt
rename to new name.txt
diff --git "a/\\303\\244\\tb.txt" "b/\\303\\244\\tb.txt"
new file mode 100644
--- /dev/null
+++ "b/\\303\\244\\tb.txt"
@@ -0,0 +1 @@
+x
diff --git a/gone.bin b/gone.bin
deleted file mode 100644
Binary files a/gone.bin and /dev/null differ
`;

test('files with their kinds, counts and line numbers', () => {
  const files = parseDiff(patch);
  expect(
    files.map(({ path, oldPath, kind, isBinary, additions, deletions }) => [
      path,
      oldPath,
      kind,
      isBinary,
      additions,
      deletions,
    ]),
  ).toEqual([
    ['src/a.ts', null, 'changed', false, 2, 1],
    ['new name.txt', 'old name.txt', 'renamed', false, 0, 0],
    ['ä\tb.txt', null, 'added', false, 1, 0],
    ['gone.bin', null, 'deleted', true, 0, 0],
  ]);
  expect(
    files[0]?.lines.map(({ kind, oldNumber, newNumber, text }) => [kind, oldNumber, newNumber, text]),
  ).toEqual([
    ['hunk', null, null, '@@ -1,3 +1,4 @@ function a'],
    ['same', 1, 1, 'one'],
    ['del', 2, null, 'two'],
    ['add', null, 2, '2'],
    ['add', null, 3, '--- two and a half'],
    ['same', 3, 4, 'three'],
    ['note', null, null, '\\ No newline at end of file'],
  ]);
});

test('what is no patch has no files', () => {
  expect(parseDiff('')).toEqual([]);
  expect(parseDiff('hello\n+++ b/x\n')).toEqual([]);
});

test.each([
  ['plain name', 'plain name'],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['"\\360\\237\\230\\200\\n"', '😀\n'],
  ['"\\377"', '\uFFFD'],
])('unquote %j', (quoted, name) => {
  expect(unquote(quoted)).toBe(name);
});
