import { chmodSync, lstatSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitManager } from '../../../src/adapters/git/manager.ts';
import { gitObject } from '../../../src/adapters/git/index-trees.ts';
import { objectPath, saveObjects } from '../../../src/adapters/git/objects.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function storeOf(repo: TestRepo): { commonDir: string } {
  return { commonDir: join(repo.dir, '.git') };
}

test('git reads what was saved, and finds nothing wrong with it', () => {
  const repo = makeRepo();
  const sizes = [3980, ...Array.from({ length: 30 }, (_, at) => 3985 + at), 70_000];
  const bodies = ['', 'text\n', '\0\u00ff'.repeat(100_000), ...sizes.map((size) => '\u00ff'.repeat(size))];
  const blobs = bodies.map((body) => gitObject('blob', Buffer.from(body, 'latin1'), 20));
  saveObjects(storeOf(repo), [...blobs, ...blobs]);
  for (const blob of blobs) {
    expect(repo.git('cat-file', '-t', blob.oid)).toBe('blob');
    expect(repo.git('cat-file', '-s', blob.oid)).toBe(String(blob.body.length));
    expect(lstatSync(objectPath(storeOf(repo), blob.oid)).mode & 0o777).toBe(0o444);
  }
  expect(repo.tryGit('fsck', '--strict', '--full')).toBe(0);
  const left = readdirSync(join(repo.dir, '.git/objects'), { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.includes('tmp_obj'))).toEqual([]);
});

test('an object that is there is left alone', () => {
  const repo = makeRepo();
  const blob = gitObject('blob', Buffer.from('once'), 20);
  saveObjects(storeOf(repo), [blob]);
  const file = objectPath(storeOf(repo), blob.oid);
  chmodSync(file, 0o644);
  writeFileSync(file, 'as it is');
  saveObjects(storeOf(repo), [blob]);
  expect(readFileSync(file, 'utf8')).toBe('as it is');
});

test('an object that is there but old is not cleaned away as one that nobody uses', () => {
  const repo = makeRepo();
  const blobs = ['old', 'new'].map((body) => gitObject('blob', Buffer.from(body), 20));
  saveObjects(storeOf(repo), blobs);
  for (const { oid } of blobs) utimesSync(objectPath(storeOf(repo), oid), 1_700_000_000, 1_700_000_000);
  saveObjects(storeOf(repo), blobs.slice(0, 1));
  repo.git('prune', '--expire=2.weeks.ago');
  expect(blobs.map(({ oid }) => repo.tryGit('cat-file', '-e', oid))).toEqual([0, 1]);
});

test('a folder that cannot be made is one clear error, and nothing is left behind', () => {
  const repo = makeRepo();
  const good = gitObject('blob', Buffer.from('good'), 20);
  const bad = gitObject('blob', Buffer.from('bad'), 20);
  expect(good.oid.slice(0, 2)).not.toBe(bad.oid.slice(0, 2));
  writeFileSync(join(repo.dir, '.git/objects', bad.oid.slice(0, 2)), '');
  expect(() => saveObjects(storeOf(repo), [good, bad])).toThrow(/cannot write/);
  expect(readdirSync(join(repo.dir, '.git/objects', good.oid.slice(0, 2)))).toEqual([]);
});

test('a repository that is shared with a group is left to git, which sets the rights', async () => {
  const repo = makeRepo();
  repo.git('config', 'core.sharedRepository', 'group');
  const parent = startTestRun(repo);
  const git = gitManager({ projectDir: repo.dir, env: repo.env });
  repo.write('work.txt', 'work');
  const work_tree = await git.workTreeId();
  const request = {
    branch: 'runner/r1',
    parent,
    work_tree,
    message: 'm',
    run_hooks: false,
    sign: false,
    cookie: 'c',
  };
  const result = await git.commit(request);
  expect(result.kind).toBe('committed');
  const file = objectPath(storeOf(repo), repo.head());
  expect(lstatSync(join(file, '..')).mode & 0o7777).toBe(0o2775);
});
