import { describe, expect, test } from 'vitest';
import { foldersOf, parseStatus, parseTracked } from '../../../src/adapters/git/status.ts';

const oid = '1'.repeat(40);

function parse(...records: readonly string[]) {
  return parseStatus(records.map((record) => `${record}\n`).join(''));
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

  test('[ancestor: git parses_rename_line_uses_new_path] a rename is not asked for: it is two entries', () => {
    expect(parse(`1 D. N... 100644 000000 000000 ${oid} ${oid} old`, '? new').dirty).toEqual([
      { code: '??', path: 'new' },
      { code: 'D.', path: 'old' },
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
    expect(snapshot.nested).toEqual(['b/']);
    expect(snapshot.dirty.map((entry) => entry.path)).toEqual(['a', 'b/']);
  });

  test('dirt inside a submodule is not dirt of the work tree', () => {
    const sub = (flags: string, path: string) => `1 .M ${flags} 160000 160000 160000 ${oid} ${oid} ${path}`;
    const snapshot = parse(sub('S.M.', 'm'), sub('S..U', 'u'), sub('SC..', 'c'), sub('SCMU', 'all'));
    expect(snapshot.dirtySubmodules).toEqual(['all', 'm', 'u']);
    expect(snapshot.dirty.map((entry) => entry.path)).toEqual(['all', 'c']);
  });

  test('quoted paths come back as they are, sorted by code point; what is no UTF-8 is shown as such', () => {
    const lines = ['"a\\nb"', '"\\"q\\""', 'x -> y', '"\\303\\274"', '"\\360\\237\\230\\200"', '"\\377z"'];
    const dirty = parse(...lines.map((line) => `? ${line}`)).dirty.map((entry) => entry.path);
    expect(dirty).toEqual(['"q"', 'a\nb', 'x -> y', 'ü', '\uFFFDz', '\u{1F600}']);
  });
});

test('parseTracked: flags that hide changes, and every folder once, parents first', () => {
  const plain = 'H a/b/c.txt\nH a/d.txt\nH top\nH "\\303\\274/x"\n';
  expect(parseTracked(plain)).toEqual({ isHiding: false, folders: ['a', 'a/b', '\u00c3\u00bc'] });
  for (const flag of ['h', 'S', 's']) expect(parseTracked(`${plain}${flag} x\n`).isHiding).toBe(true);
  for (const flag of ['M', 'R', 'C', 'K', '?']) expect(parseTracked(`${flag} x\n`).isHiding).toBe(false);
  expect(foldersOf([])).toEqual([]);
});
