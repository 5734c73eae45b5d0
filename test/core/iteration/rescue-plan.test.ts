import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listOverwritten, planRestore } from '../../../src/core/iteration/rescue-plan.ts';

const changed = ['src/b.ts', 'src/a.ts', 'gone.txt', 'srcx'];
const held = new Set(['src/a.ts', 'src/b.ts', 'srcx', 'other']);

test('what the rescued commit has is written, what it deleted is only told', () => {
  expect(planRestore({ changed, held, wanted: [] })).toEqual({
    write: ['src/a.ts', 'src/b.ts', 'srcx'],
    deleted: ['gone.txt'],
  });
});

test.each([
  [['src'], ['src/a.ts', 'src/b.ts'], []],
  [['./src/'], ['src/a.ts', 'src/b.ts'], []],
  [['src/a.ts', 'gone.txt'], ['src/a.ts'], ['gone.txt']],
  [['other'], [], []],
])('only %j', (wanted, write, deleted) => {
  expect(planRestore({ changed, held, wanted })).toEqual({ write, deleted });
});

test('lost is what differs and is nowhere in git, and what stands in the way', () => {
  const committed = new Set(['clean', 'edited', 'same']);
  expect(
    listOverwritten({
      write: ['clean', 'edited', 'ignored', 'missing', 'same', 'folder', 'file/below'],
      differing: new Set(['clean', 'edited', 'ignored']),
      dirty: new Set(['edited', 'same', 'folder/mine', 'file', 'elsewhere']),
      committed,
    }),
  ).toEqual(['edited', 'file', 'folder/mine', 'ignored']);
});

test('nothing that is committed and clean is ever in the list', () => {
  const paths = fc.subarray(['a', 'b', 'a/c', 'd']);
  fc.assert(
    fc.property(paths, paths, paths, paths, (write, differing, dirty, committed) => {
      const lost = listOverwritten({
        write,
        differing: new Set(differing),
        dirty: new Set(dirty),
        committed: new Set(committed),
      });
      expect(lost.filter((path) => committed.includes(path) && !dirty.includes(path))).toEqual([]);
    }),
  );
});
