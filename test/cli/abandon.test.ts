/** `runner abandon` and `runner clean`: nothing of a run that is given up is lost, and nothing of an open one is touched (§12). */
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { renderRunRecord } from '../../src/core/runs/record.ts';
import { endRecord } from '../../src/core/runs/ended-record.ts';
import { placeName } from '../../src/adapters/files/state-home.ts';
import { completeRun, handsOn, recordBase } from '../support/ending.ts';
import { expectOutput } from '../support/output-schema.ts';
import { expectSoundRepository, project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

test('abandon: uncommitted work is rescued, the checkout goes back to its base', async () => {
  const p = await completeRun();
  p.put('work.txt', 'changed\n');
  p.put('new/file.txt', 'new\n');
  const tip = await p.git('rev-parse', 'HEAD');
  const done = await p.run('abandon', '--json');
  expect(done, done.err).toMatchObject({ code: 0 });
  const told = JSON.parse(done.out) as { rescued: string };
  expectOutput('abandon', told);
  expect(await p.git('show', `${told.rescued}:work.txt`, `${told.rescued}:new/file.txt`)).toBe(
    'changed\nnew',
  );
  expect(await p.git('branch', '--show-current')).toBe('main');
  expect(existsSync(join(p.dir, 'new/file.txt'))).toBe(false);
  await expectSoundRepository(p);
  expect(await p.git('branch', '--format=%(refname:short)')).toBe('main');
  expect(await p.git('rev-parse', 'refs/runner/archive/test')).toBe(tip);
  expect(await p.run('finish', 'test')).toMatchObject({ code: 1, err: expect.stringContaining('abandoned') });
});

test('abandon after kill -9 in a session, a switch to main and a deleted branch; then clean', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  await recordBase(handsOn(p, p.dir), 'main');
  playGuard(p, 'exit 0');
  playAgent(p, 'echo half > half.txt; kill -9 $PPID; sleep 100');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  await p.git('switch', '-q', 'main');
  await p.git('branch', '-q', '-D', 'runner/test');
  const done = await p.run('abandon');
  expect(done, done.err).toMatchObject({ code: 0 });
  expect(await p.git('show', 'refs/runner/rescue/test/1:half.txt')).toBe('half');
  expect(await p.git('branch', '--format=%(refname:short)')).toBe('main');
  expect(await p.git('for-each-ref', 'refs/runner/hold')).toBe('');
  // Nothing is in the way of another run.
  await p.git('clean', '-fdq');
  p.put('.runner/GOAL.md', '---\nid: next\n---\n\n# Next\n');
  expect(await p.run('start', '--no-baseline')).toMatchObject({ code: 0 });

  const kept = async (): Promise<string> => p.git('for-each-ref', '--format=%(refname)', 'refs/runner');
  expect(await kept()).toBe('refs/runner/archive/test\nrefs/runner/rescue/test/1');
  const listed = await p.run('clean', '--logs', '--rescue', '--archive', '--dry-run', '--json');
  const told = JSON.parse(listed.out) as { removed: { kind: string; bytes: number }[] };
  expectOutput('clean', told);
  expect(told.removed.map(({ kind }) => kind)).toEqual(['logs', 'archive', 'rescue']);
  expect(told.removed.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(await p.run('clean', '--rescue', '--older-than', '1d')).toMatchObject({
    code: 0,
    out: expect.stringContaining('removed=0'),
  });
  expect(await p.run('clean', '--rescue', '--older-than', 'soon')).toMatchObject({ code: 64 });
  expect(await kept()).toBe('refs/runner/archive/test\nrefs/runner/rescue/test/1');
  expect(await p.run('clean', '--rescue', '--logs')).toMatchObject({ code: 0 });
  expect(await kept()).toBe('refs/runner/archive/test');
  expect(existsSync(join(p.dir, '.runner/iterations/test'))).toBe(false);
  expect(existsSync(join(p.dir, '.git/runner/runs/test.json'))).toBe(true);
  expect(await p.run('clean', '--archive')).toMatchObject({ code: 0 });
  expect(await kept()).toBe('');
  expect(existsSync(join(p.dir, '.git/runner/runs/test.json'))).toBe(false);
  expect(await p.git('branch', '--show-current')).toBe('runner/next');
});

test('a run whose state cannot be read can be given up; a checkout that was switched since is left alone', async () => {
  const p = await completeRun({ guard: shellGuard });
  await p.git('branch', '-q', 'other', 'main');
  // Finished from the work tree that the runner made, while a person goes elsewhere in it.
  await p.git('switch', '-q', 'main');
  const dir = join(p.home, '.local/state/runner/worktrees', placeName(join(p.top, '.git')), 'test');
  mkdirSync(dirname(dir), { recursive: true });
  await p.git('worktree', 'add', '-q', dir, 'runner/test');
  playGuard(
    p,
    `env -u GIT_DIR -u GIT_WORK_TREE git -C '${dir}' switch -q other; echo mine > '${dir}/mine.txt'`,
  );
  const finished = await p.run('finish', 'test');
  expect(finished, finished.err).toMatchObject({
    code: 0,
    err: expect.stringContaining(`${dir} is not on runner/test any more`),
  });
  expect(await p.run('clean')).toMatchObject({ code: 0, out: expect.stringContaining('removed=0') });
  const linked = handsOn(p, dir);
  expect([await linked.git('branch', '--show-current'), linked.read('mine.txt')]).toEqual([
    'other',
    'mine\n',
  ]);
  expect(await p.git('branch', '--format=%(refname:short)')).toBe('main\nother');

  p.put('.runner/GOAL.md', '---\nid: broken\n---\n\n# Next\n');
  expect(await p.run('start', '--no-baseline')).toMatchObject({ code: 0 });
  p.put('.runner/state/run_state.json', '{');
  await p.commitAll('broken');
  const tip = await p.git('rev-parse', 'HEAD');
  for (const branch of ['runner/broken', 'main']) {
    await p.git('update-ref', 'refs/heads/runner/broken', tip);
    await p.git('switch', '-q', branch);
    rmSync(join(p.top, '.git/runner/runs/broken.json'), { force: true });
    const done = await p.run('abandon', 'broken');
    expect(done, done.err).toMatchObject({ code: 0 });
    expect(await p.git('rev-parse', 'refs/runner/archive/broken')).toBe(tip);
    expect(await p.git('branch', '--format=%(refname:short)')).not.toContain('broken');
  }
  await expectSoundRepository(p);
});

test('the work tree that the runner made for a run goes with it, its logs and uncommitted work stay', async () => {
  const p = await completeRun();
  await p.git('switch', '-q', 'main');
  const own = join(p.home, '.local/state/runner/worktrees', placeName(join(p.top, '.git')), 'test');
  mkdirSync(dirname(own), { recursive: true });
  await p.git('worktree', 'add', '-q', '--lock', own, 'runner/test');
  const tip = await p.git('rev-parse', 'runner/test');
  const facts = { run_id: 'test', how: 'finished', now: '2026-01-01T00:00:00Z', title: 't' } as const;
  const place = { branch: 'runner/test', state: null, leaves: { passed: 1, all: 1 }, tip, prefix: '' };
  const record = endRecord(null, { ...facts, ...place, reason: null, by: 'cli' });
  const file = join(p.top, '.git/runner/runs/test.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    renderRunRecord({ ...record, status: 'complete', worktree: own, base_branch: 'main', audit: [] }),
  );
  mkdirSync(join(own, '.runner/iterations/test/1'), { recursive: true });
  writeFileSync(join(own, '.runner/iterations/test/1/guard.log'), 'green\n');
  // A record that names another place than its own is nobody's.
  const other = join(p.top, '.git/runner/kept');
  mkdirSync(other);
  writeFileSync(join(dirname(file), 'near.json'), renderRunRecord({ ...record, run_id: '../kept' }));
  for (const verb of ['show', 'attach', 'cancel', 'resume', 'work'])
    expect((await p.run('run', verb, '../runs/test')).err, verb).toContain('RUN_UNKNOWN');
  // Open as long as it is not finished: nothing to clean.
  expect(await p.run('clean', '--worktrees', '--logs')).toMatchObject({
    out: expect.stringContaining('removed=0'),
  });
  expect(existsSync(other)).toBe(true);
  const done = await p.run('finish', 'test');
  expect(done, done.err).toMatchObject({ code: 0 });
  expect(existsSync(own)).toBe(false);
  expect(await p.git('worktree', 'list', '--porcelain')).not.toContain('worktrees');
  expect(p.read('.git/runner/logs/test/1/guard.log')).toBe('green\n');
  expect(JSON.parse(p.read('.git/runner/runs/test.json'))).toMatchObject({
    status: 'finished',
    worktree: null,
    owner: null,
    audit: [{ action: 'finish', by: 'cli' }],
  });
  expect(p.read('work.txt')).toBe('work\n');
  await expectSoundRepository(p);
});

/** A work tree as the runner makes it for a background run, below another root; nothing but its place says whose it is. */
async function ownWorkTree(p: Project) {
  await p.git('switch', '-q', 'main');
  const root = join(p.base, 'elsewhere');
  const own = join(root, placeName(realpathSync(join(p.top, '.git'))), 'test');
  await p.git('worktree', 'add', '-q', '--lock', own, 'runner/test');
  const { runWith } = handsOn(p, p.dir);
  const env = { RUNNER_SANDBOX_ROOT: root };
  return { own: handsOn(p, own), run: (...args: readonly string[]) => runWith(env, ...args) };
}

test('a work tree that somebody took off the branch: finish refuses, abandon saves its commit and its files', async () => {
  const p = await completeRun();
  const { own, run } = await ownWorkTree(p);
  await own.git('checkout', '-q', '--detach');
  own.put('more.txt', 'more\n');
  await own.git('add', '-A');
  await own.git('commit', '-q', '-m', 'more');
  const commit = await own.git('rev-parse', 'HEAD');
  const refused = await run('finish', 'test');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('GIT_WRONG_BRANCH') });
  expect(refused.err).toContain(`branch test-${commit.slice(0, 8)} && git -C`);
  own.put('half.txt', 'half\n');
  const done = await run('abandon', 'test', '--json');
  expect(done, done.err).toMatchObject({ code: 0 });
  const told = JSON.parse(done.out) as { rescued: string; worktree_removed: string };
  expect(told.worktree_removed).toBe(own.dir);
  expect(existsSync(own.dir)).toBe(false);
  expect(await p.git('rev-parse', `${told.rescued}^`)).toBe(commit);
  expect(await p.git('show', `${told.rescued}:half.txt`)).toBe('half');
  await expectSoundRepository(p);
});

test('work in a submodule of the work tree: abandon refuses, finish and clean leave the work tree', async () => {
  const p = await completeRun();
  const inner = join(p.base, 'inner');
  await p.git('init', '-q', '-b', 'main', inner);
  const inInner = handsOn(p, inner);
  const person = ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid'];
  await inInner.git(...person, 'commit', '-q', '--allow-empty', '-m', 'x');
  const fromFile = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet'];
  await p.git(...fromFile, 'add', inner, 'sub');
  await p.commitAll('submodule');
  const { own, run } = await ownWorkTree(p);
  await own.git(...fromFile, 'update', '--init');
  const sub = handsOn(p, join(own.dir, 'sub'));
  sub.put('deep.txt', 'deep\n');
  expect((await run('abandon', 'test')).err).toContain('GIT_DIRTY');
  await sub.git('add', '-A');
  await sub.git(...person, 'commit', '-q', '-m', 'deep');
  await own.git('commit', '-qam', 'the submodule goes on');
  const refused = await run('abandon', 'test');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('GIT_DIRTY') });
  expect(refused.err).toContain('push origin HEAD:refs/heads/runner-test');
  const done = await run('finish', 'test');
  expect(done, done.err).toMatchObject({ code: 0, err: expect.stringContaining('stays: its submodules') });
  expect(await p.git('branch', '--format=%(refname:short)')).toBe('main');
  expect(await run('clean')).toMatchObject({ code: 0, err: expect.stringContaining('submodule sub') });
  expect(sub.read('deep.txt')).toBe('deep\n');
  await sub.git('push', '-q', 'origin', 'HEAD:refs/heads/runner-test');
  expect(await run('clean')).toMatchObject({ code: 0, out: expect.stringContaining('removed=1') });
  expect(existsSync(own.dir)).toBe(false);
});
