import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findStagedId, readStaged } from '../../src/adapters/git-staged.ts';
import { makeRepo } from '../support/repo.ts';
import type { TestRepo } from '../support/repo.ts';

const index = undefined;

function placeOf(repo: TestRepo) {
  return { top: repo.dir, gitDir: join(repo.dir, '.git') };
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
  for (const [path, id] of found) expect(findStagedId(indexOf(repo), path)).toBe(id);
  expect(findStagedId(indexOf(repo), 'none')).toBeNull();
});

test('entries with more flags, a split index and a long name before it', () => {
  const repo = makeRepo();
  repo.write('a', 'a\n');
  repo.write('later', 'later\n');
  repo.git('add', '-N', 'later');
  repo.git('add', 'a');
  expect(indexOf(repo).readUInt32BE(4)).toBe(3);
  for (const [path, id] of staged(repo)) expect(findStagedId(indexOf(repo), path)).toBe(id);
  repo.git('update-index', '--split-index');
  repo.write('new', 'new\n');
  repo.git('add', 'new');
  // Where git put the entry is its own affair.
  expect([null, repo.git('rev-parse', ':new')]).toContain(findStagedId(indexOf(repo), 'new'));
  repo.git('update-index', '--no-split-index');
  const folders = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(60)).join('/');
  const id = repo.git('hash-object', '-w', 'a');
  repo.git('update-index', '--add', '--cacheinfo', `100644,${id},${folders}/${folders}`);
  expect(findStagedId(indexOf(repo), 'a')).toBeNull();
});

test('version 4, links, conflicts and what is no index are left to git', () => {
  const repo = makeRepo();
  symlinkSync('README.md', join(repo.dir, 'link'));
  repo.git('add', '-A');
  expect(findStagedId(indexOf(repo), 'link')).toBeNull();
  const id = repo.git('rev-parse', ':README.md');
  repo.git('rm', '--quiet', '--cached', 'README.md');
  execFileSync('git', ['update-index', '--index-info'], {
    cwd: repo.dir,
    env: repo.env,
    input: `100644 ${id} 1\tREADME.md\n100644 ${id} 2\tREADME.md\n`,
  });
  expect(findStagedId(indexOf(repo), 'README.md')).toBeNull();
  repo.git('add', 'README.md');
  repo.git('update-index', '--index-version', '4');
  expect(findStagedId(indexOf(repo), 'README.md')).toBeNull();
  expect(findStagedId(Buffer.from('something else entirely'), 'README.md')).toBeNull();
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
