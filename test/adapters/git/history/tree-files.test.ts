import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitAdapter } from '../../../../src/adapters/git/git.ts';
import { makeRepo } from '../../../support/repo.ts';

test('files and links of a tree by path, texts by blob id', async () => {
  const repo = makeRepo();
  repo.write('sub/ü "x"', 'text\n');
  repo.write('large', Buffer.alloc(1024 * 1024 + 1, 'x'));
  symlinkSync('sub', join(repo.dir, 'link'));
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'files');
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const tree = repo.head();
  const all = await git.listTreeFiles({ tree, paths: null });
  expect(all.map(({ path, mode }) => `${mode} ${path}`)).toEqual([
    '100644 README.md',
    '100644 large',
    '120000 link',
    '100644 sub/ü "x"',
  ]);
  const some = ['link', 'none', 'sub', 'sub/ü "x"', 'README.md/x'];
  const named = await git.listTreeFiles({ tree, paths: some });
  expect(named).toEqual(all.filter(({ path }) => some.includes(path)));
  const many = [...some, ...Array.from({ length: 300 }, (_, at) => `none-${at}`)];
  expect(await git.listTreeFiles({ tree, paths: many })).toEqual(named);
  expect(await git.listTreeFiles({ tree, paths: [] })).toEqual([]);

  const texts = await git.loadBlobTexts([
    ...all.map(({ oid }) => oid),
    'f'.repeat(40),
    repo.git('rev-parse', 'HEAD^{tree}'),
  ]);
  expect([...texts.values()].toSorted()).toEqual(['# test\n', 'sub', 'text\n']);
  expect(await git.loadBlobTexts([])).toEqual(new Map());
});

test('a tree with some files exchanged, also where a folder is now; null when git has lost a blob', async () => {
  const repo = makeRepo();
  repo.write('check/now', 'a folder\n');
  repo.write('gone', 'x\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'files');
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const tree = repo.git('rev-parse', 'HEAD^{tree}');
  const oid = repo.git('rev-parse', 'HEAD:README.md');
  const laid = await git.makeLaidTree({
    tree,
    files: [
      { path: 'check', mode: '100755', oid },
      { path: 'ü/new', mode: '100644', text: 'ü\n' },
      { path: 'gone', mode: null },
      { path: 'never there', mode: null },
    ],
  });
  expect(repo.git('-c', 'core.quotePath=false', 'ls-tree', '-r', laid ?? '').split('\n')).toEqual([
    `100644 blob ${oid}\tREADME.md`,
    `100755 blob ${oid}\tcheck`,
    expect.stringMatching(/^100644 blob \w+\tü\/new$/u),
  ]);
  expect(repo.git('show', `${laid}:ü/new`)).toBe('ü');
  expect(repo.dirty()).toEqual([]);
  const lost = { path: 'a', mode: '100644', oid: 'f'.repeat(40) };
  expect(await git.makeLaidTree({ tree, files: [lost] })).toBe(null);
});
