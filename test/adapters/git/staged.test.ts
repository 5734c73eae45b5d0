import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findStaged, readStaged } from '../../../src/adapters/git/staged.ts';
import { gitattributesText } from '../../../src/core/iteration/initial-files.ts';
import { makeRepo } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

const index = undefined;

function placeOf(repo: TestRepo) {
  const gitDir = join(repo.dir, '.git');
  return { top: repo.dir, gitDir, commonDir: gitDir, runnerPath: '.runner' };
}

function indexOf(repo: TestRepo): Buffer {
  return readFileSync(join(repo.dir, '.git', 'index'));
}

/** Every path that git lists, and what it says of it. */
function staged(repo: TestRepo): readonly (readonly [string, string])[] {
  return repo
    .git('ls-files', '--stage', '-z')
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? '']);
}

test('the ids are those that git lists, for names of every length', () => {
  const repo = makeRepo();
  for (let length = 1; length <= 40; length += 1) repo.write('n'.repeat(length), `${length}\n`);
  repo.write('ünïcode', 'x');
  repo.write('script', 'x\n');
  chmodSync(join(repo.dir, 'script'), 0o755);
  repo.git('add', '-A');
  const found = staged(repo);
  expect(found).toHaveLength(43);
  for (const [path, id] of found) expect(findStaged(indexOf(repo), path)?.id).toBe(id);
  expect(findStaged(indexOf(repo), 'none')).toBeNull();
});

test('entries with more flags, a split index and a long name before it', () => {
  const repo = makeRepo();
  repo.write('a', 'a\n');
  repo.write('later', 'later\n');
  repo.git('add', '-N', 'later');
  repo.git('add', 'a');
  expect(indexOf(repo).readUInt32BE(4)).toBe(3);
  for (const [path, id] of staged(repo)) expect(findStaged(indexOf(repo), path)?.id).toBe(id);
  repo.git('update-index', '--split-index');
  repo.write('new', 'new\n');
  repo.git('add', 'new');
  // Where git put the entry is its own affair.
  expect([null, repo.git('rev-parse', ':new')]).toContain(findStaged(indexOf(repo), 'new')?.id ?? null);
  repo.git('update-index', '--no-split-index');
  const folders = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(60)).join('/');
  const id = repo.git('hash-object', '-w', 'a');
  repo.git('update-index', '--add', '--cacheinfo', `100644,${id},${folders}/${folders}`);
  expect(findStaged(indexOf(repo), 'a')).toBeNull();
});

test('version 4, links, conflicts and what is no index are left to git', () => {
  const repo = makeRepo();
  symlinkSync('README.md', join(repo.dir, 'link'));
  repo.git('add', '-A');
  expect(findStaged(indexOf(repo), 'link')).toBeNull();
  const id = repo.git('rev-parse', ':README.md');
  repo.git('rm', '--quiet', '--cached', 'README.md');
  execFileSync('git', ['update-index', '--index-info'], {
    cwd: repo.dir,
    env: repo.env,
    input: `100644 ${id} 1\tREADME.md\n100644 ${id} 2\tREADME.md\n`,
  });
  expect(findStaged(indexOf(repo), 'README.md')).toBeNull();
  repo.git('add', 'README.md');
  repo.git('update-index', '--index-version', '4');
  expect(findStaged(indexOf(repo), 'README.md')).toBeNull();
  expect(findStaged(Buffer.from('something else entirely'), 'README.md')).toBeNull();
});

test('the text is told only when the bytes on disk are the staged ones', async () => {
  const repo = makeRepo();
  const read = async (path: string) => readStaged(placeOf(repo), { path, index });
  repo.write('.runner/state/tree.json', '{}\n');
  repo.write('binary', Buffer.from([0xff, 0xfe]));
  repo.git('add', '-A');
  expect(await read('.runner/state/tree.json')).toEqual({ kind: 'text', text: '{}\n' });
  expect(await read('binary')).toBeNull();
  repo.write('.runner/state/tree.json', '{ }\n');
  expect(await read('.runner/state/tree.json')).toBeNull();
  repo.remove('.runner/state/tree.json');
  expect(await read('.runner/state/tree.json')).toBeNull();
  expect(await read('none')).toBeNull();
});

test('a filter between disk and index is noticed', async () => {
  const repo = makeRepo();
  repo.write('.gitattributes', '*.txt text eol=crlf\n');
  repo.write('file.txt', 'a\r\n');
  repo.git('add', '-A');
  expect(await readStaged(placeOf(repo), { path: 'file.txt', index })).toBeNull();
});

test('an index that is cut, missing or a folder is left to git', async () => {
  const repo = makeRepo();
  const file = join(repo.dir, '.git', 'index');
  truncateSync(file, 40);
  expect(await readStaged(placeOf(repo), { path: 'README.md', index })).toBeNull();
  writeFileSync(file, '');
  expect(await readStaged(placeOf(repo), { path: 'README.md', index })).toBeNull();
  rmSync(file);
  expect(await readStaged(placeOf(repo), { path: 'README.md', index })).toBeNull();
  expect(await readStaged(placeOf(repo), { path: 'README.md', index: '' })).toBeNull();
});

describe('by the state of the file', () => {
  const path = '.runner/state/tree.json';

  /** Staged, and old enough for git to trust what it saw of the file. */
  function makeStaged(): TestRepo {
    const repo = makeRepo();
    repo.write('.runner/.gitattributes', gitattributesText);
    repo.write(path, 'good\n');
    repo.git('add', '-A');
    const later = Date.now() / 1000 + 60;
    utimesSync(join(repo.dir, '.git/index'), later, later);
    return repo;
  }

  /** An id that no file has: whoever compares bytes notices. */
  function spoilId(repo: TestRepo): void {
    const file = join(repo.dir, '.git/index');
    const bytes = readFileSync(file);
    bytes.fill(0xaa, bytes.indexOf(path) - 22, bytes.indexOf(path) - 2);
    writeFileSync(file, bytes);
    const later = Date.now() / 1000 + 60;
    utimesSync(file, later, later);
  }

  test('an untouched file is believed without looking at its bytes', async () => {
    const repo = makeStaged();
    spoilId(repo);
    expect(await readStaged(placeOf(repo), { path, index })).toEqual({ kind: 'text', text: 'good\n' });
  });

  const doubts: Readonly<Record<string, (repo: TestRepo) => void>> = {
    'written again with as many bytes': (repo) => repo.write(path, 'evil\n'),
    'replaced by another file with the same times': (repo) => {
      const { atime, mtime } = statSync(join(repo.dir, path));
      repo.write('other', 'evil\n');
      utimesSync(join(repo.dir, 'other'), atime, mtime);
      renameSync(join(repo.dir, 'other'), join(repo.dir, path));
    },
    'as young as the index': (repo) => {
      const { mtimeMs } = statSync(join(repo.dir, path));
      utimesSync(join(repo.dir, '.git/index'), 1, Math.floor(mtimeMs / 1000));
    },
    'other attributes': (repo) => repo.write('.runner/.gitattributes', '* text\n'),
    'no attributes': (repo) => repo.remove('.runner/.gitattributes'),
    'attributes of the repository': (repo) => repo.write('.git/info/attributes', '* text\n'),
    'attributes beside it': (repo) => repo.write('.runner/state/.gitattributes', '* text\n'),
  };

  test.each(Object.entries(doubts))('%s: the bytes decide', async (_name, change) => {
    const repo = makeStaged();
    spoilId(repo);
    change(repo);
    expect(await readStaged(placeOf(repo), { path, index })).toBeNull();
  });
});
