/** §14: attributes planted by a session give a checkout other bytes than the guard saw; honest conversions do not count. */
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitAdapter } from '../../../../src/adapters/git/git.ts';
import { makeRepo, startTestRun } from '../../../support/repo.ts';
import type { TestRepo } from '../../../support/repo.ts';
import { fixtures } from '../../../support/shell-agent.ts';

type Files = Readonly<Record<string, string>>;

function put(repo: TestRepo, files: Files): void {
  for (const [path, text] of Object.entries(files)) repo.write(path, Buffer.from(text, 'latin1'));
}

/** The answer for work on top of B, and what a real checkout of it has other than the disk. */
async function compare(
  work: { readonly before?: Files; readonly session: Files },
  prepare: (repo: TestRepo) => void = () => undefined,
): Promise<{ readonly found: readonly string[]; readonly differs: readonly string[] }> {
  const repo = makeRepo();
  prepare(repo);
  put(repo, work.before ?? {});
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '--allow-empty', '-m', 'before');
  const from = startTestRun(repo);
  put(repo, work.session);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const to = await git.workTreeId();
  const found = await git.listOtherBytes({ from, to });
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'work');
  const shown = Object.keys({ ...work.before, ...work.session }).filter(
    (path) => !path.endsWith('.gitattributes'),
  );
  const disk = shown.map((path) => repo.read(path));
  for (const path of shown) rmSync(join(repo.dir, path));
  repo.git('checkout', '--quiet', '--', '.');
  return { found, differs: shown.filter((path, at) => repo.read(path) !== disk[at]) };
}

describe('planted by a session', () => {
  test.each<readonly [string, { readonly before?: Files; readonly session: Files }]>([
    ['eol', { session: { '.gitattributes': '*.txt eol=crlf\n', 'a.txt': 'one\n' } }],
    ['text, on the way in', { session: { '.gitattributes': '*.txt text\n', 'a.txt': 'one\r\ntwo\r\n' } }],
    ['ident', { session: { '.gitattributes': '*.txt ident\n', 'a.txt': '$Id$\n' } }],
    ['ident, on the way in', { session: { '.gitattributes': '*.txt ident\n', 'a.txt': '$Id: mine $\n' } }],
    [
      'working-tree-encoding',
      { session: { '.gitattributes': '*.txt working-tree-encoding=UTF-16\n', 'a.txt': '\xfe\xff\0a\0\n' } },
    ],
    [
      'a file the session did not touch',
      { before: { 'a.txt': 'one\n' }, session: { '.gitattributes': '*.txt text eol=crlf\n' } },
    ],
    ['a macro', { session: { '.gitattributes': '[attr]odd text eol=crlf\n*.txt odd\n', 'a.txt': 'one\n' } }],
    [
      'in a folder',
      { before: { 'sub/a.txt': 'one\n' }, session: { 'sub/.gitattributes': 'a.txt eol=crlf\n' } },
    ],
    [
      'rules that were taken away',
      {
        before: { '.gitattributes': '*.txt -text\n' },
        session: { '.gitattributes': '*.txt text\n', 'a.txt': 'one\r\n' },
      },
    ],
  ])('%s', async (_name, work) => {
    const { found, differs } = await compare(work);
    expect(differs, 'the attack works').toHaveLength(1);
    expect(found).toEqual(differs);
  });

  test('a filter of the user that changes what it gives back', async () => {
    const work = { session: { '.gitattributes': '*.txt filter=upper\n', 'a.txt': 'one\n' } };
    const { found, differs } = await compare(work, (repo) => {
      repo.git('config', 'filter.upper.clean', 'tr A-Z a-z');
      repo.git('config', 'filter.upper.smudge', 'tr a-z A-Z');
    });
    expect(differs).toEqual(['a.txt']);
    expect(found).toEqual(['a.txt']);
  });
});

describe('honest work', () => {
  const autocrlf = (repo: TestRepo): void => {
    repo.git('config', 'core.autocrlf', 'true');
  };

  test.each<readonly [string, { readonly before?: Files; readonly session: Files }]>([
    [
      'text=auto for files with LF',
      { before: { 'a.txt': 'one\n' }, session: { '.gitattributes': '* text=auto\n', 'b.txt': 'two\n' } },
    ],
    [
      'eol=crlf for files that have it',
      { session: { '.gitattributes': '*.bat text eol=crlf\n', 'a.bat': 'one\r\n' } },
    ],
    [
      'attributes that convert nothing',
      { session: { '.gitattributes': '*.png binary diff=png\n', 'a.txt': 'one\n' } },
    ],
    [
      'conversions that were there before',
      {
        before: { '.gitattributes': '* text eol=crlf\n' },
        session: { 'a.txt': 'one\n', '.gitattributes': '* text eol=crlf\n*.md linguist-detectable\n' },
      },
    ],
    ['no attributes at all', { session: { 'a.txt': 'one\r\n' } }],
  ])('%s', async (_name, work) => {
    expect((await compare(work)).found).toEqual([]);
  });

  test('autocrlf with LF on disk, attributes changed besides', async () => {
    const session = { 'a.txt': 'one\n', '.gitattributes': '*.md text\n' };
    const { found, differs } = await compare({ session }, autocrlf);
    expect(differs, 'a checkout does write CRLF').toEqual(['a.txt']);
    expect(found).toEqual([]);
  });

  test('an LFS-like filter, put on new files by the session', async () => {
    const session = { '.gitattributes': '*.bin filter=big -text\n', 'a.bin': 'big '.repeat(1000) };
    const { found, differs } = await compare({ session }, (repo) => {
      const program = `'${process.execPath}' '${join(fixtures, 'lfs-filter.mjs')}' '${join(repo.base, 'big')}'`;
      for (const kind of ['clean', 'smudge']) repo.git('config', `filter.big.${kind}`, `${program} ${kind}`);
      repo.git('config', 'filter.big.required', 'true');
    });
    expect(differs).toEqual([]);
    expect(found).toEqual([]);
  });
});

test('mode and odd names; nothing is left behind, and index and status are as before', async () => {
  const repo = makeRepo();
  const from = startTestRun(repo);
  put(repo, { '.gitattributes': '* text eol=crlf\n', 'a b/ü"x.sh': '#!/bin/sh\n', 'same.bin': '\0\0\n' });
  chmodSync(join(repo.dir, 'a b/ü"x.sh'), 0o755);
  const git = gitAdapter({ projectDir: repo.dir, env: repo.env });
  const to = await git.workTreeId();
  const before = [repo.git('status', '--porcelain'), repo.git('ls-files', '--stage')];
  expect(await git.listOtherBytes({ from, to })).toEqual(['README.md', 'a b/ü"x.sh', 'same.bin']);
  expect([repo.git('status', '--porcelain'), repo.git('ls-files', '--stage')]).toEqual(before);
  expect(repo.git('for-each-ref', 'refs/runner/')).toBe('');
});
