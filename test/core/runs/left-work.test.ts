import { expect, test } from 'vitest';
import { renderLeftWork } from '../../../src/core/runs/left-work.ts';

const base = '0123456789abcdef0123456789abcdef01234567';

test('one file, and one with blanks below the top', () => {
  expect(renderLeftWork({ node: 'root.2', base, files: ['a.txt'] }, true)).toBe(
    'what sessions wrote stays: 1 file changed since root.2 began; to look: git diff 0123456789ab -- a.txt',
  );
  expect(renderLeftWork({ node: 'root.2', base, files: ['app/a.txt', 'b c'] }, false)).toContain(
    "2 files changed since root.2 began; to look: git diff 0123456789ab -- :/app/a.txt ':/b c'",
  );
});

test('no more than a person reads', () => {
  const files = Array.from({ length: 25 }, (_, at) => `f${at}`);
  expect(renderLeftWork({ node: 'x', base, files }, true)).toMatch(
    /^what sessions wrote stays: 25 files changed since x began, 5 of them not named here; .* f19$/u,
  );
});
