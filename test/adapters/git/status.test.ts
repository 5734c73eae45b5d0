import { describe, expect, test } from 'vitest';
import { parseStatus, splitNul } from '../../../src/adapters/git/status.ts';

const oid = '1'.repeat(40);

function parse(...records: readonly string[]) {
  return parseStatus(Buffer.from(records.map((record) => `${record}\0`).join('')));
}

describe('parseStatus', () => {
  test('[ancestor: git parses_untracked_line] an untracked file is ?? with its path as it is', () => {
    expect(parse('? a file.txt').dirty).toEqual([{ code: '??', path: 'a file.txt' }]);
  });

  test('[ancestor: git parses_modified_line] a modified file has its XY code', () => {
    expect(parse(`1 .M N... 100644 100644 100644 ${oid} ${oid} src/lib.rs`).dirty).toEqual([
      { code: '.M', path: 'src/lib.rs' },
    ]);
  });

  test('[ancestor: git parses_rename_line_uses_new_path] a rename gives the new path, and the old one as gone', () => {
    expect(parse(`2 R. N... 100644 100644 100644 ${oid} ${oid} R100 new name`, 'old name').dirty).toEqual([
      { code: 'R.', path: 'new name' },
      { code: 'D.', path: 'old name' },
    ]);
  });

  test('an unmerged file is one entry', () => {
    const record = `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both changed`;
    expect(parse(record).dirty).toEqual([{ code: 'UU', path: 'both changed' }]);
  });

  test('head and branch, and null for none', () => {
    expect(parse(`# branch.oid ${oid}`, '# branch.head runner/x')).toMatchObject({
      head: oid,
      branch: 'runner/x',
    });
    expect(parse('# branch.oid (initial)', '# branch.head main')).toMatchObject({
      head: null,
      branch: 'main',
    });
    expect(parse(`# branch.oid ${oid}`, '# branch.head (detached)')).toMatchObject({
      head: oid,
      branch: null,
    });
  });

  test('headers that were not asked for and ignored files are passed over', () => {
    expect(parse('# branch.upstream origin/x', '# branch.ab +1 -0', '! ignored').dirty).toEqual([]);
    expect(parse().dirty).toEqual([]);
  });

  test('an untracked folder is a nested repository and counts as dirty', () => {
    const snapshot = parse('? b/', '? a');
    expect(snapshot.nested_repositories).toEqual(['b/']);
    expect(snapshot.dirty.map((entry) => entry.path)).toEqual(['a', 'b/']);
  });

  test('dirt inside a submodule is not dirt of the work tree', () => {
    const sub = (flags: string, path: string) => `1 .M ${flags} 160000 160000 160000 ${oid} ${oid} ${path}`;
    const snapshot = parse(sub('S.M.', 'm'), sub('S..U', 'u'), sub('SC..', 'c'), sub('SCMU', 'all'));
    expect(snapshot.dirty_submodules).toEqual(['all', 'm', 'u']);
    expect(snapshot.dirty.map((entry) => entry.path)).toEqual(['all', 'c']);
  });

  test('paths with line breaks, quotes, arrows and non-ASCII stay as they are, sorted by code point', () => {
    const names = ['a\nb', '"q"', 'x -> y', 'ü', '\u{1F600}', '\uFFFDz'];
    expect(parse(...names.map((name) => `? ${name}`)).dirty.map((entry) => entry.path)).toEqual([
      '"q"',
      'a\nb',
      'x -> y',
      'ü',
      '\uFFFDz',
      '\u{1F600}',
    ]);
  });
});

test('splitNul keeps the last part without a final zero', () => {
  const split = (text: string) => splitNul(Buffer.from(text)).map(String);
  expect(split('a\0b\0')).toEqual(['a', 'b']);
  expect(split('a\0b')).toEqual(['a', 'b']);
  expect(split('')).toEqual([]);
});
