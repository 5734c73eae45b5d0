/** What git must be like before an iteration (§5.1): every refusal with its words, its hint, exit 1, and nothing changed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, openProject, project, tempFolder, write } from '../support/project.ts';
import { pathOf, refused, typeHint } from '../support/refusals.ts';
import { template } from '../support/template.ts';

const done = { actions: [write('a.txt', 'a\n')], answer: answer('done') };
const started = template(() => project({ script: [done] }));
const passed = { code: 0, out: 'step: run=test iter=1 node=root status=done guard=pass' };

test('from an empty folder on, each refusal names the next step', async () => {
  const base = tempFolder('nothing');
  mkdirSync(join(base, 'home'));
  mkdirSync(join(base, 'repo'));
  const p = openProject({ base, prefix: '' });

  const noRepository = await refused(p, ['step']);
  expect(noRepository).toMatchObject({
    code: 'GIT_NOT_A_REPO',
    message: `${p.dir} is not in a git repository`,
    hint: 'git init',
  });
  await typeHint(p, noRepository.hint);
  await p.git('config', 'user.useConfigOnly', 'true');

  const noIdentity = await refused(p, ['loop']);
  expect(noIdentity).toMatchObject({
    code: 'GIT_IDENTITY',
    message: expect.stringMatching(/^git has no identity for commits: no (?:name|email) was given/),
    hint: 'git config user.name "Your Name" && git config user.email "you@example.com"',
  });
  await typeHint(p, noIdentity.hint);

  const noCommit = await refused(p, ['step']);
  expect(noCommit).toMatchObject({
    code: 'GIT_NO_COMMIT',
    message: 'this repository has no commit yet',
    hint: 'git add -A && git commit --allow-empty -m "initial commit"',
  });
  p.put('README.md', '# hello\n');
  await typeHint(p, noCommit.hint);

  const branch = await p.git('branch', '--show-current');
  const protectedBranch = await refused(p, ['step']);
  expect(protectedBranch).toMatchObject({
    code: 'GIT_PROTECTED_BRANCH',
    message: `the runner does not work on '${branch}'`,
    hint: 'runner start',
  });
  p.put('.runner/GOAL.md', 'A goal.\n');
  await typeHint(p, protectedBranch.hint);
  // The run keeps the sandbox it began with, where there is one.
  const path = pathOf(p, ['git', 'bwrap']);
  expect(await refused(p, ['step'], { PATH: path })).toMatchObject({ code: 'AGENT_MISSING' });
});

test('no git on PATH', async () => {
  const p = await started();
  const found = await refused(p, ['step'], { PATH: pathOf(p, []) });
  expect(found).toMatchObject({
    code: 'GIT_MISSING',
    message: 'git is not installed or not on PATH',
    hint: 'install git, for example: sudo apt install git, brew install git, or https://git-scm.com/downloads',
  });
});

test('a bare repository has no work tree', async () => {
  const p = await started();
  await p.git('clone', '-q', '--bare', '.', '../bare');
  const found = await refused(p, ['step', '-C', '../bare']);
  expect(found).toMatchObject({
    code: 'GIT_NOT_A_REPO',
    message: `${join(p.base, 'bare')} has no work tree: it is a bare repository or a git folder`,
    hint: 'go to the project folder, or make one with git init',
  });
});

test('detached HEAD, main, master and a foreign branch; the printed switch goes on', async () => {
  const p = await started();
  await p.git('switch', '-q', '--detach');
  expect(await refused(p, ['step'])).toMatchObject({
    code: 'GIT_DETACHED',
    message: 'HEAD is detached: there is no branch to commit on',
    hint: 'git switch <branch>',
  });
  for (const branch of ['main', 'master']) {
    await p.git('switch', '-q', '-C', branch, 'runner/test');
    expect(await refused(p, ['loop'])).toMatchObject({
      code: 'GIT_PROTECTED_BRANCH',
      message: `the runner does not work on '${branch}'`,
      hint: 'git switch runner/test, or: runner start',
    });
  }
  await p.git('switch', '-q', '-c', 'feature/x');
  const wrong = await refused(p, ['step']);
  expect(wrong).toMatchObject({
    code: 'GIT_WRONG_BRANCH',
    message: "expected to be on 'runner/test' but on 'feature/x' (run 'runner start')",
    hint: 'git switch runner/test',
  });
  await typeHint(p, wrong.hint);
  expect(await p.run('step')).toMatchObject(passed);
});

test('on main the printed `runner start` goes on with the run', async () => {
  const p = await started();
  await p.git('switch', '-q', 'main');
  const found = await refused(p, ['step']);
  await typeHint(p, found.hint.split(', or: ')[1] ?? '');
  expect(await p.git('branch', '--show-current')).toBe('runner/test');
  expect(await p.run('step')).toMatchObject(passed);
});

test('[trap: the list was unsorted, and " -> " in a name misread] dirty: every kind, sorted, odd names readable, at most 20 and a count; `git stash -u` goes on', async () => {
  const p = await started();
  p.put('README.md', 'changed\n');
  p.put('.runner/state/questions.md', '# changed\n');
  p.put('staged.txt', 'staged\n');
  await p.git('add', 'staged.txt');
  const odd = ['-rf', 'a -> b', 'a b', 'back\\slash', 'bell\u0007', 'line\nbreak', 'quote"d', 'ünï', '→'];
  for (const name of odd) p.put(name, 'x\n');
  writeFileSync(Buffer.concat([Buffer.from(`${p.dir}/z`), Buffer.from([0xff])]), 'x\n');
  const few = await refused(p, ['step']);
  expect(few).toMatchObject({
    code: 'GIT_DIRTY',
    message: 'the work tree is not clean: 13 changed paths',
    hint: 'git add -A && git commit, or: git stash -u',
  });
  const rows: readonly (readonly [string, string])[] = [
    ['??', '-rf'],
    ['.M', '.runner/state/questions.md'],
    ['.M', 'README.md'],
    ['??', 'a -> b'],
    ['??', 'a b'],
    ['??', 'back\\slash'],
    ['??', 'bell\u0007'],
    ['??', 'line\nbreak'],
    ['??', 'quote"d'],
    ['A.', 'staged.txt'],
    ['??', 'z\ufffd'],
    ['??', 'ünï'],
    ['??', '→'],
  ];
  expect(few.details).toEqual(rows.map(([code, path]) => `${code} ${JSON.stringify(path)}`));

  for (let index = 10; index < 23; index += 1) p.put(`many/${index}.txt`, 'x\n');
  rmSync(join(p.dir, '.runner-script.json'));
  const many = await refused(p, ['loop']);
  expect(many.message).toBe('the work tree is not clean: 27 changed paths');
  expect(many.details).toHaveLength(21);
  expect(many.details.at(-1)).toBe('and 7 more');
  expect(many.details).toContain('.D ".runner-script.json"');

  await typeHint(p, many.hint.split('or: ')[1] ?? '');
  expect(await p.run('step')).toMatchObject(passed);
});

test('one changed path is one path, and a change hidden by an index flag is found', async () => {
  const p = await started();
  await p.git('update-index', '--assume-unchanged', 'README.md');
  p.put('README.md', 'hidden\n');
  const found = await refused(p, ['step']);
  expect(found.message).toBe('the work tree is not clean: 1 changed path');
  expect(found.details).toEqual(['.M "README.md"']);
});

test("somebody's index.lock is named, never removed; the printed rm goes on", async () => {
  const p = await started();
  const lock = join(p.top, '.git/index.lock');
  writeFileSync(lock, '');
  const found = await refused(p, ['step']);
  expect(found).toMatchObject({
    code: 'GIT_LOCKED',
    message: `another git process is at work here, or one died and left a lock: ${lock}`,
    hint: `when no other git is running: rm ${lock}`,
  });
  await typeHint(p, found.hint.split(': ')[1] ?? '');
  expect(await p.run('step')).toMatchObject(passed);
});

test('a sparse checkout is refused; the printed command goes on', async () => {
  const p = await started();
  await p.git('sparse-checkout', 'set', '.runner');
  const found = await refused(p, ['step']);
  expect(found).toMatchObject({ code: 'GIT_UNSUPPORTED', hint: 'git sparse-checkout disable' });
  await typeHint(p, found.hint);
  expect(await p.run('step')).toMatchObject(passed);
});
