/** `start` where no run is known yet (§11): where it branches off, what it commits, what it refuses. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bareProject, cleanEnv, openProject, tempFolder } from '../support/project.ts';
import { fingerprint, readRefusal, refused, typeHint } from '../support/refusals.ts';
import { template } from '../support/template.ts';

const goal = '# Goal\n\nMake it work.\n';
/** Only the goal is there. */
const bare = template(async () => {
  const p = await bareProject();
  p.put('.runner/GOAL.md', goal);
  return p;
});

describe('branches off', () => {
  test.each(['main', 'master', 'feature/deep.name'])('from %s, with an id made of HEAD', async (branch) => {
    const p = await bare();
    if (branch !== 'main') await p.git('switch', '-q', '-c', branch);
    const head = await p.git('rev-parse', 'HEAD');
    const id = `run-${head.slice(0, 8)}`;
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0, out: `started run=${id} branch=runner/${id}` });
    expect(ran.err).toContain('warning: no check found');
    expect(await p.git('branch', '--show-current')).toBe(`runner/${id}`);
    expect(await p.git('rev-parse', branch)).toBe(head);
    expect(await p.subjects()).toEqual([`chore(loop): start run ${id}`, 'first commit']);
    expect(await p.git('log', '-1', '--format=%an <%ae> %cn')).toBe(
      'Test Person <person@test.invalid> Test Person',
    );
    const changed = (await p.git('diff', '--name-only', 'HEAD~', 'HEAD')).split('\n');
    expect(changed).toContain('.runner/state/tree.json');
    expect(changed.filter((path) => !path.startsWith('.runner/'))).toEqual([]);
    expect(await p.status()).toBe('');
    expect(p.read('.runner/GOAL.md')).toMatch(new RegExp(`^---\nid: ${id}\n---\n# Goal\n`));
    expect(p.runState()).toMatchObject({ run_id: id, next_iter: 1, last_status: null });
    expect(p.runState()).toMatchObject({
      base_branch: branch,
      base_commit: head,
      goal_sha256: createHash('sha256').update(goal).digest('hex'),
    });

    if (branch !== 'main') return;
    const tip = await p.git('rev-parse', 'HEAD');
    const again = await p.run('start', '--json');
    expect(JSON.parse(again.out)).toMatchObject({
      command: 'start',
      run_id: id,
      resumed: true,
      commit: null,
    });
    expect(await p.git('rev-parse', 'HEAD')).toBe(tip);
    expect(await p.run('validate')).toMatchObject({ code: 0 });
  });

  test('the same commit and the same files give the same id twice; --quiet leaves the warnings out', async () => {
    const [one, two] = [await bare(), await bare()];
    const quiet = await one.run('start', '--quiet');
    expect(quiet.err).toBe('');
    expect(quiet.out).toBe((await two.run('start')).out);
    expect(await one.git('rev-parse', 'HEAD^{tree}')).toBe(await two.git('rev-parse', 'HEAD^{tree}'));
  });

  test('[trap: a project in a sub-folder never matched .runner/] in a sub-folder of the work tree', async () => {
    const p = await bareProject({ prefix: 'packages/app/', files: { 'src.txt': 'x\n' } });
    p.put('.runner/GOAL.md', '---\nid: sub\n---\nGoal.\n');
    const ran = await p.run('start');
    expect(ran, ran.err).toMatchObject({ code: 0, out: 'started run=sub branch=runner/sub' });
    const changed = (await p.git('diff', '--name-only', 'main', 'HEAD')).split('\n');
    expect(changed.filter((path) => !path.startsWith('packages/app/.runner/'))).toEqual([]);
    p.put('../outside.txt', 'x\n');
    expect((await refused(p, ['start'])).details).toEqual(['?? "packages/outside.txt"']);
  });

  test('in a linked work tree, whose git folder is elsewhere', async () => {
    const p = await bare();
    await p.git('worktree', 'add', '-q', '-b', 'side', '../linked');
    p.put('../linked/.runner/GOAL.md', goal);
    const ran = await p.run('start', '-C', '../linked');
    expect(ran, ran.err).toMatchObject({ code: 0 });
    expect(await p.git('branch', '--show-current')).toBe('main');
    expect(await p.git('-C', '../linked', 'branch', '--show-current')).toMatch(/^runner\/run-/);
    expect(await p.git('-C', '../linked', 'status', '--porcelain')).toBe('');
    const id = (await p.git('-C', '../linked', 'branch', '--show-current')).slice('runner/'.length);
    p.put('.runner/GOAL.md', `---\nid: ${id}\n---\nGoal.\n`);
    const elsewhere = await refused(p, ['start']);
    expect(elsewhere.message).toBe(
      `branch runner/${id} is checked out in another work tree: ${join(p.base, 'linked')}`,
    );
    expect(elsewhere.hint).toBe(`cd ${join(p.base, 'linked')} && runner start`);
    await typeHint(p, elsewhere.hint);
  });
});

describe('changes', () => {
  test('[trap: a space or an accent in a name stopped start] under .runner/ only: they travel into the bootstrap commit', async () => {
    const p = await bare();
    await p.run('init', '--quiet');
    p.put('.runner/GOAL.md', '---\nid: mine\n---\nMine.\n');
    p.put('.runner/nodes/root/context.md', 'context\n');
    p.put('.runner/with space and ü.md', 'odd name\n');
    expect(await p.run('start')).toMatchObject({ code: 0, out: 'started run=mine branch=runner/mine' });
    expect(await p.status()).toBe('');
    expect(await p.git('show', 'HEAD:.runner/nodes/root/context.md')).toBe('context');
    expect(await p.git('show', 'HEAD:.runner/with space and ü.md')).toBe('odd name');
    expect(await p.git('ls-tree', '-r', '--name-only', 'main')).toBe('README.md');
  });

  test('[trap: a file moved into .runner/ was let pass] outside: listed, refused', async () => {
    const p = await bare();
    p.put('new.txt', 'x\n');
    p.put('README.md', 'changed\n');
    expect(await refused(p, ['start'])).toMatchObject({
      code: 'GIT_DIRTY',
      message: 'the work tree is not clean: 2 changed paths',
      details: ['.M "README.md"', '?? "new.txt"'],
    });
    await p.git('reset', '-q', '--hard');
    await p.git('clean', '-qfd');
    mkdirSync(join(p.dir, '.runner'));
    await p.git('mv', 'README.md', '.runner/README.md');
    expect((await refused(p, ['start'])).details).toEqual(['D. "README.md"']);
  });

  test('[trap: nothing was committed when] the project ignores .runner: its files are committed all the same, and a step works', async () => {
    const p = await bareProject({
      files: { '.gitignore': '.runner\n*.md\n', 'script.json': '{"version":1,"steps":[]}' },
    });
    p.put('.runner/GOAL.md', goal);
    await p.run('init', '--quiet');
    p.put(
      '.runner/state/config.toml',
      '[sandbox]\nkind = "none"\n[agent]\nname = "scripted"\nscript = "script.json"\n[guard]\ncommand = ["true"]\n',
    );
    expect(await p.run('start')).toMatchObject({ code: 0 });
    const files = await p.git('ls-tree', '-r', '--name-only', 'HEAD');
    expect(files).toContain('.runner/GOAL.md');
    expect(files).toContain('.runner/state/questions.md');
    const step = await p.run('step');
    expect(step, step.err).toMatchObject({
      code: 0,
      out: expect.stringMatching(/status=retry guard=skipped$/),
    });
    expect(await p.git('show', 'HEAD:.runner/state/run_state.json')).toContain('"next_iter": 2');
    expect(await p.git('ls-tree', '-r', '--name-only', 'HEAD', '.runner/iterations', '.runner/context')).toBe(
      '',
    );
  });
});

describe('refuses', () => {
  test('an empty repository, with the command; after it start works', async () => {
    const base = tempFolder('empty');
    mkdirSync(join(base, 'home'));
    mkdirSync(join(base, 'repo'));
    const p = openProject({ base, prefix: '' });
    expect(await refused(p, ['start'])).toMatchObject({ code: 'GIT_NOT_A_REPO', hint: 'git init' });
    await p.git('init', '-q');
    await p.git('config', 'user.name', 'Test Person');
    await p.git('config', 'user.email', 'person@test.invalid');
    p.put('a.txt', 'a\n');
    const found = await refused(p, ['start']);
    expect(found).toMatchObject({
      code: 'GIT_NO_COMMIT',
      message: 'this repository has no commit yet',
      hint: 'git add -A && git commit --allow-empty -m "initial commit"',
    });
    await typeHint(p, found.hint);
    p.put('.runner/GOAL.md', goal);
    expect(await p.run('start')).toMatchObject({ code: 0 });
  });

  test('a detached HEAD and a missing identity', async () => {
    const p = await bare();
    await p.git('switch', '-q', '--detach');
    expect(await refused(p, ['start'])).toMatchObject({ code: 'GIT_DETACHED', hint: 'git switch <branch>' });
    await p.git('switch', '-q', 'main');
    await p.git('config', 'user.useConfigOnly', 'true');
    await p.git('config', '--unset', 'user.email');
    const found = await refused(p, ['start']);
    expect(found.code).toBe('GIT_IDENTITY');
    await typeHint(p, found.hint);
    expect(await p.run('start')).toMatchObject({ code: 0 });
  });

  test('an invalid id, before anything is written', async () => {
    const p = await bare();
    await p.run('init', '--quiet');
    const ids = ['a/b', 'a..b', 'x.lock', '-x', 'ünï', 'x'.repeat(101), '[a, b]'];
    for (const id of ids) {
      p.put('.runner/GOAL.md', `---\nid: ${id}\n---\nGoal.\n`);
      const found = await refused(p, ['start']);
      expect(found, id).toMatchObject({
        code: 'GOAL_INVALID',
        hint: 'edit .runner/GOAL.md, then: runner validate',
      });
      expect(found.message, id).toMatch(/^\.runner\/GOAL\.md:[12]:\d+: ./);
    }
    expect(await p.git('branch', '--list', 'runner/*')).toBe('');
  });

  test('a branch in the way leaves no half-made run; without it the next start goes on', async () => {
    const p = await bare();
    await p.git('branch', 'runner');
    const refs = await p.git('for-each-ref');
    const found = readRefusal(await p.run('start'));
    expect(found.code).toBe('GIT_FAILED');
    expect(found.hint).toContain('git branch -m runner ');
    expect(await p.git('for-each-ref')).toBe(refs);
    expect(await p.git('branch', '--show-current')).toBe('main');
    expect(await p.git('status', '--porcelain')).toBe('?? .runner/');
    await p.git('branch', '-D', '-q', 'runner');
    const again = await p.run('start');
    expect(again, again.err).toMatchObject({ code: 0 });
    expect(await p.status()).toBe('');
    expect(await p.git('diff', '--name-only', 'main', 'HEAD', '--', 'README.md')).toBe('');
  });

  test('a locked branch or HEAD leaves no half-made run', async () => {
    for (const lock of ['HEAD.lock', 'refs/heads/runner/mine.lock']) {
      const p = await bare();
      await p.run('init', '--quiet');
      p.put('.runner/GOAL.md', '---\nid: mine\n---\nMine.\n');
      p.put(`.git/${lock}`, '');
      const before = fingerprint(p.top);
      const found = readRefusal(await p.run('start'));
      expect(found.code, lock).toBe('GIT_LOCKED');
      expect(await p.git('branch', '--list', 'runner/*')).toBe('');
      expect(fingerprint(p.top)['.git/HEAD']).toBe(before['.git/HEAD']);
      rmSync(join(p.dir, '.git', lock));
      expect(await p.run('start')).toMatchObject({ code: 0, out: 'started run=mine branch=runner/mine' });
      expect(await p.status()).toBe('');
    }
  });
});

test('an environment with GIT_DIR of another repository does not lead astray', async () => {
  const [p, other] = [await bare(), await bare()];
  const before = fingerprint(other.top);
  const ran = await p.runWith({ GIT_DIR: join(other.top, '.git'), GIT_WORK_TREE: other.top }, 'start');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(fingerprint(other.top)).toEqual(before);
  expect(await p.git('branch', '--show-current')).toMatch(/^runner\/run-/);
  expect(cleanEnv(p.home)).not.toHaveProperty('GIT_DIR');
});
