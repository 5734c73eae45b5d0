import { expect, test } from 'vitest';
import { refuseConflict } from '../../../src/core/runs/merge-conflict.ts';

test('only entries with several versions are conflicts', () => {
  const dirty = ['.M', 'A.', 'D.', 'AM', '??', 'AD'].map((code) => ({ code, path: 'a' }));
  expect(refuseConflict(dirty, 'main')).toBe(null);
  for (const code of ['UU', 'AA', 'DD', 'AU', 'UA', 'DU', 'UD'])
    expect(refuseConflict([{ code, path: 'a' }], 'main')?.code, code).toBe('GIT_CONFLICT');
});

test('files of .runner/ are never to be added; others are the person’s to solve', () => {
  const ours = [
    { code: 'UU', path: 'app/.runner/state/tree.json' },
    { code: 'UU', path: 'b' },
  ];
  expect(refuseConflict(ours, 'main')).toEqual({
    code: 'GIT_CONFLICT',
    message: 'git stopped at conflicts that are not solved: "app/.runner/state/tree.json", "b"',
    hint: 'git reset --merge (runner finish and runner update merge without conflicts in .runner/)',
  });
  expect(refuseConflict(ours, null)?.hint).toMatch(/^git rebase --abort \(/);
  expect(refuseConflict([{ code: 'UU', path: 'b' }], 'main')?.hint).toBe(
    'solve them, then: git add -A && git commit; or undo the merge: git reset --merge',
  );
});
