import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustedFile } from '../../../src/adapters/project/trusted-file.ts';
import { gitAdapter } from '../../../src/adapters/git/git.ts';
import { makeRepo, startTestRun } from '../../support/repo.ts';
import type { TestRepo } from '../../support/repo.ts';

function open(repo: TestRepo, env: Readonly<Record<string, string>> = {}, prefix = '') {
  return gitAdapter({ projectDir: join(repo.dir, prefix), env: { ...repo.env, ...env } });
}

function commitAll(repo: TestRepo, message: string): string {
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', message);
  return repo.head();
}

describe('files of a commit', () => {
  test('bytes by their ids; texts relative to the project folder, missing when absent, also for a folder', async () => {
    const repo = makeRepo();
    const bytes = Buffer.from([0, 1, 255, 10]);
    repo.write('sub/file', bytes);
    const commit = commitAll(repo, 'file');
    repo.write('sub/file', 'changed since');
    repo.write('sub/only-on-disk', 'x');
    const git = open(repo, {}, 'sub/');
    for (const path of ['none', 'only-on-disk', 'file/below'])
      expect(await git.loadText({ commit, path })).toEqual({ kind: 'missing' });

    expect(await open(repo).loadText({ commit, path: 'sub' })).toEqual({ kind: 'missing' });
    await expect(git.loadText({ commit: 'f'.repeat(40), path: 'file' })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
    const [oid, other] = [
      repo.git('rev-parse', `${commit}:sub/file`),
      repo.git('rev-parse', 'HEAD:README.md'),
    ];
    const blobs = await git.loadBlobs([oid, other, oid]);
    expect(Object.fromEntries(blobs)).toEqual({ [oid]: bytes, [other]: Buffer.from('# test\n') });
    expect((await git.loadBlobs([])).size).toBe(0);
    await expect(git.loadBlobs([oid, 'f'.repeat(40)])).rejects.toThrow('git has no blob');
  });

  test('as judged text', async () => {
    const repo = makeRepo();
    repo.write('text', 'ü\n');
    repo.write('binary', Buffer.from([0x61, 0xff]));
    repo.write('large', Buffer.alloc(64 * 1024 * 1024 + 1, 'x'));
    const commit = commitAll(repo, 'files');
    const load = async (path: string) => open(repo).loadText({ commit, path });
    expect(await load('text')).toEqual({ kind: 'text', text: 'ü\n' });
    expect(await load('none')).toEqual({ kind: 'missing' });
    expect(await load('binary')).toMatchObject({ kind: 'unreadable' });
    expect(await load('large')).toEqual({
      kind: 'too_large',
      bytes: 64 * 1024 * 1024 + 1,
      bytesMax: 64 * 1024 * 1024,
    });
  });
});

describe('loadStaged', () => {
  test('what is staged, not what is on disk or in HEAD', async () => {
    const repo = makeRepo();
    repo.write('sub/file', 'staged\n');
    repo.git('add', '-A');
    const git = open(repo, {}, 'sub/');
    repo.write('sub/file', 'on disk\n');
    expect(await git.loadStaged('file')).toEqual({ kind: 'text', text: 'staged\n' });
    expect(await git.loadStaged('none')).toEqual({ kind: 'missing' });
    repo.git('switch', '--quiet', '--detach');
    expect(await git.headBranch()).toBeNull();
  });

  test('the index a hook was given counts, absolute or relative to the top', async () => {
    const repo = makeRepo();
    repo.write('file', 'of the hook\n');
    const index = join(repo.dir, '.git', 'hook-index');
    execFileSync('git', ['add', '-A'], { cwd: repo.dir, env: { ...repo.env, GIT_INDEX_FILE: index } });
    expect(await open(repo).loadStaged('file')).toEqual({ kind: 'missing' });
    for (const given of [index, '.git/hook-index']) {
      const git = open(repo, { GIT_INDEX_FILE: given, GIT_DIR: '.git' });
      expect(await git.loadStaged('file')).toEqual({ kind: 'text', text: 'of the hook\n' });
    }
  });
});

test('listRunnerFiles: files of .runner in a commit, relative to it, with id and mode', async () => {
  for (const prefix of ['', 'a b[1]/']) {
    const repo = makeRepo();
    const commit = startTestRun(repo, { prefix });
    repo.write(`${prefix}.runner/later`, 'not in the commit');
    repo.write(`${prefix}.runner-not/x`, 'other folder');
    const files = await open(repo, {}, prefix).listRunnerFiles(commit);
    expect(files.map((file) => file.path)).toEqual([
      '.gitattributes',
      '.gitignore',
      'GOAL.md',
      'state/tree.json',
    ]);
    const goal = repo.git('rev-parse', `HEAD:${prefix}.runner/GOAL.md`);
    expect(files[2]).toEqual({ path: 'GOAL.md', oid: goal, mode: '100644' });
    expect(await open(repo, {}, prefix).listRunnerFiles(`${commit}~1`)).toEqual([]);
  }
});

describe('differences', () => {
  test('changedPaths are whole names, sorted, a move is two of them', async () => {
    const repo = makeRepo();
    repo.write('old', 'the same content\n');
    repo.write('ü', '1');
    const from = commitAll(repo, 'one');
    repo.git('mv', 'old', 'a b\n"c"');
    repo.write('ü', '2');
    repo.write('\u{1F600}', 'x');
    const to = commitAll(repo, 'two');
    expect(await open(repo).changedPaths({ from, to })).toEqual(['a b\n"c"', 'old', 'ü', '\u{1F600}']);
    expect(await open(repo).changedPaths({ from, to: from })).toEqual([]);
    const diff = { from, file: join(repo.dir, '.runner/iterations/r1/1/diff.patch'), bytesMax: 10_000 };
    const { paths } = await open(repo).saveDiff({ ...diff, to });
    expect(paths).toEqual(['a b\n"c"', 'old', 'ü', '\u{1F600}']);
    expect(await open(repo).saveDiff({ ...diff, to: from })).toEqual({ paths: [], cut: false });
    expect(readFileSync(diff.file, 'utf8')).toBe('');
    const names = new Set(['README.md', 'a b\n"c"', 'ü', '\u{1F600}']);
    expect(await open(repo).listPaths(to)).toEqual(names);
    expect(await open(repo).listPaths(`${to}^{tree}`)).toEqual(names);
  });

  test('saveDiff writes a patch that applies, or its head and a note when it is too large', async () => {
    const repo = makeRepo();
    const from = repo.head();
    repo.write('README.md', 'changed\n');
    repo.write('lines', 'line\n'.repeat(200_000));
    const to = commitAll(repo, 'change');
    repo.git('config', 'diff.noprefix', 'true');
    repo.git('config', 'color.ui', 'always');
    const file = join(repo.dir, '.runner/iterations/r1/1/diff.patch');
    await open(repo).saveDiff({ from, to, file, bytesMax: 10_000_000 });
    repo.git('checkout', '--quiet', from);
    repo.git('apply', '--index', file);
    expect(repo.git('write-tree')).toBe(repo.git('rev-parse', `${to}^{tree}`));
    await open(repo).saveDiff({ from, to, file, bytesMax: 5000 });
    const cut = readFileSync(file, 'utf8');
    expect(cut.length).toBeLessThanOrEqual(5000);
    expect(cut.endsWith('\n+line\n# cut here: the diff is larger than 5000 bytes\n')).toBe(true);
  });

  test('a patch that is cut is the same each time', async () => {
    const repo = makeRepo();
    const from = repo.head();
    for (let at = 0; at < 40; at += 1) repo.write(`file-${at}`, 'line\n'.repeat(at));
    const to = commitAll(repo, 'change');
    const patches = new Set<string>();
    for (let turn = 0; turn < 12; turn += 1)
      patches.add(await open(repo).loadDiff({ from, orFrom: from, to, bytesMax: 1000 }));

    const [patch = ''] = patches;
    expect([patches.size, patch.length <= 1000]).toEqual([1, true]);
    expect(patch).toMatch(
      /^diff --git a\/file-0 b\/file-0\n[^]*\n# cut here: the diff is larger than 1000 bytes\n$/,
    );
  });

  test('saveDiff runs no program of the repository and follows no planted link', async () => {
    const repo = makeRepo();
    const from = repo.head();
    repo.write('.gitattributes', '* diff=evil\n');
    repo.write('README.md', 'changed\n');
    const to = commitAll(repo, 'change');
    for (const key of ['diff.evil.command', 'diff.evil.textconv', 'diff.external'])
      repo.git('config', key, `touch ${join(repo.base, 'ran')}; cat`);

    repo.write('.runner/iterations/x', '');
    const file = join(repo.dir, '.runner/iterations/diff.patch');
    symlinkSync(join(repo.base, 'outside'), file);
    await expect(open(repo).saveDiff({ from, to, file, bytesMax: 1000 })).rejects.toMatchObject({
      code: 'LAYOUT_INVALID',
    });
    repo.remove('.runner/iterations/diff.patch');
    await open(repo).saveDiff({ from, to, file, bytesMax: 1000 });
    expect(readdirSync(repo.base)).not.toContain('ran');
    expect(readdirSync(repo.base)).not.toContain('outside');
  });
});

describe('history', () => {
  test('findIteration: the commit of exactly this run and iteration above the baseline', async () => {
    const repo = makeRepo();
    const baseline = startTestRun(repo);
    const subject = (run: string, iter: number) =>
      `chore(loop): run ${run} iter ${iter} node root status=done guard=pass`;
    const git = open(repo);
    const find = async (iter: number, from = baseline) =>
      git.findIteration({ run_id: 'r1', iter, above: from });
    expect(await find(1)).toBe(null);
    repo.git('commit', '--quiet', '--allow-empty', '-m', `quoted\n\n${subject('r1', 1)}`);
    repo.git('commit', '--quiet', '--allow-empty', '-m', subject('r1', 11));
    repo.git('commit', '--quiet', '--allow-empty', '-m', subject('r12', 1));
    expect(await find(1)).toBe(null);
    repo.git('commit', '--quiet', '--allow-empty', '-m', subject('r1', 1));
    const commit = repo.head();
    const [parent, tree] = repo.git('log', '-1', '--format=%P %T').split(' ');
    repo.git('commit', '--quiet', '--allow-empty', '-m', 'a person');
    expect(await find(1)).toBe(null);
    const note = trustedFile({ env: repo.env, gitDir: join(repo.dir, '.git') }, 'commit.json');
    await note.save(JSON.stringify({ branch: 'runner/r1', parent, tree, subject: subject('r1', 1) }));
    expect(await find(1)).toBe(commit);
    expect(await find(1, commit)).toBe(null);
    expect(await find(1, 'f'.repeat(40))).toBe(null);
    expect(await git.findIteration({ run_id: 'unknown', iter: 1, above: baseline })).toBe(null);
  });

  test('isAncestor', async () => {
    const repo = makeRepo();
    const first = repo.head();
    const second = startTestRun(repo);
    const is = async (ancestor: string, descendant: string) =>
      open(repo).isAncestor({ ancestor, descendant });
    expect(await is(first, second)).toBe(true);
    expect(await is(second, second)).toBe(true);
    expect(await is(second, first)).toBe(false);
    expect(await is('f'.repeat(40), first)).toBe(false);
  });
});

describe('restorePaths', () => {
  test('bytes and mode come back, whatever stands there; index and other files stay', async () => {
    const repo = makeRepo();
    for (const name of ['plain', 'gone', 'now folder', 'dir/in link', 'dir2/file', 'ü\n"x"'])
      repo.write(name, `${name}\n`);

    repo.write('script', '#!/bin/sh\n');
    chmodSync(join(repo.dir, 'script'), 0o755);
    symlinkSync('plain', join(repo.dir, 'link'));
    const bytes = Buffer.from([0x62, 0xff]);
    const badPath = Buffer.concat([Buffer.from(`${repo.dir}/`), bytes]);
    writeFileSync(badPath, 'bytes\n');
    const commit = commitAll(repo, 'files');
    const paths = repo
      .git('ls-tree', '-r', '-z', '--name-only', 'HEAD')
      .split('\0')
      .filter((path) => path !== '');

    repo.write('plain', 'changed');
    repo.remove('gone');
    repo.remove('now folder');
    repo.write('now folder/agent work', 'kept');
    repo.remove('dir');
    repo.write('../outside/in link', 'untouched');
    symlinkSync(join(repo.base, 'outside'), join(repo.dir, 'dir'));
    repo.remove('dir2');
    repo.write('dir2', 'a file for a folder');
    chmodSync(join(repo.dir, 'script'), 0o644);
    repo.remove('link');
    repo.write('link', 'a file');
    writeFileSync(badPath, 'changed\n');
    repo.write('new', 'not at the commit');
    repo.write('other', 'other');
    const index = readFileSync(join(repo.dir, '.git/index'));

    await open(repo).restorePaths({ commit, paths: [...paths, 'new', 'never there', 'plain/below'] });
    expect(readFileSync(join(repo.dir, '.git/index')).equals(index)).toBe(true);
    expect(repo.dirty()).toEqual(['?? other']);
    expect(statSync(join(repo.dir, 'script')).mode & 0o111).toBe(0o111);
    expect(repo.read('../outside/in link')).toBe('untouched');
    expect(repo.read('.git/runner/quarantine/restore/now folder/agent work')).toBe('kept');
    expect(repo.read('.git/runner/quarantine/restore/dir2')).toBe('a file for a folder');
    expect(existsSync(join(repo.dir, 'new'))).toBe(false);
    expect(readFileSync(badPath, 'utf8')).toBe('bytes\n');
  });

  test('a submodule is left with everything in it', async () => {
    const [repo, library] = [makeRepo(), makeRepo()];
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.dir, 'lib');
    repo.write('plain', 'plain');
    const commit = commitAll(repo, 'submodule');
    repo.write('lib/untracked', 'mine');
    repo.gitIn(
      'lib',
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    );
    const tip = repo.gitIn('lib', 'rev-parse', 'HEAD');
    repo.write('plain', 'changed');
    await open(repo).restorePaths({ commit, paths: ['lib', 'plain'] });
    expect([repo.read('plain'), repo.read('lib/untracked')]).toEqual(['plain', 'mine']);
    expect(repo.gitIn('lib', 'rev-parse', 'HEAD')).toBe(tip);
  });

  test('a name is a name, not a pattern, and no path is no work', async () => {
    const repo = makeRepo();
    repo.write('a*', 'star');
    repo.write('ab', 'b');
    const commit = commitAll(repo, 'files');
    repo.write('a*', 'changed');
    repo.write('ab', 'changed');
    await open(repo).restorePaths({ commit, paths: ['a*'] });
    await open(repo).restorePaths({ commit, paths: [] });
    expect([repo.read('a*'), repo.read('ab')]).toEqual(['star', 'changed']);
  });
});

describe('rescueWork', () => {
  test('the work on disk, .runner included, as a commit on the parent; branch, index and files stay', async () => {
    const repo = makeRepo();
    const parent = startTestRun(repo);
    repo.write('work.txt', 'work');
    repo.write('.runner/state/tree.json', 'changed');
    const git = open(repo);
    const before = [repo.head(), readFileSync(join(repo.dir, '.git/index')).toString('hex'), repo.dirty()];
    const ref = await git.rescueWork({ run_id: 'r1', iter: 5, parent });
    expect(ref).toBe('refs/runner/rescue/r1/5');
    expect(repo.git('rev-parse', `${ref}^`)).toBe(parent);
    expect(repo.git('show', `${ref}:work.txt`)).toBe('work');
    expect(repo.git('show', `${ref}:.runner/state/tree.json`)).toBe('changed');
    expect([repo.head(), readFileSync(join(repo.dir, '.git/index')).toString('hex'), repo.dirty()]).toEqual(
      before,
    );
    expect(await git.rescueWork({ run_id: 'r1', iter: 5, parent })).toBe(ref);
    repo.write('work.txt', 'more');
    expect(await git.rescueWork({ run_id: 'r1', iter: 5, parent })).toBe(`${ref}-2`);
    expect(repo.git('show', `${ref}:work.txt`)).toBe('work');
  });

  test('without any change it is the parent itself', async () => {
    const repo = makeRepo();
    const parent = startTestRun(repo);
    repo.git('checkout', '--quiet', '--detach');
    const ref = await open(repo).rescueWork({ run_id: 'r1', iter: 5, parent });
    expect(repo.git('rev-parse', ref)).toBe(parent);
  });
});
