/** `runner finish` and `runner update`: two runs side by side, what stops a finish, and what the target gets (§12). */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import { completeRun, onePass, runIn } from '../support/ending.ts';
import { expectSoundRepository, project, unstartedProject } from '../support/project.ts';
import { refused, typeHint } from '../support/refusals.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const shell = { agent: shellAgent, guard: shellGuard };

test.each([['one'], ['two']])('two runs in two work trees, %s is finished first', async (first) => {
  const p = await unstartedProject(shell);
  playGuard(p, 'test ! -e broken');
  const runs = {
    one: await runIn(p, 'one', '# First page.\n'),
    two: await runIn(p, 'two', '# Fix: second\n'),
  };
  for (const [id, run] of Object.entries(runs)) {
    playAgent(p, onePass({ [`${id}.txt`]: id, 'shared.txt': 'the same' }, `said by ${id}`));
    expect(await run.run('loop')).toMatchObject({ code: 0 });
  }
  const order = first === 'one' ? ['one', 'two'] : ['two', 'one'];
  for (const id of order) {
    const ended = await p.run('finish', id, '--json');
    expect(ended, ended.err).toMatchObject({ code: 0 });
    expectOutput('finish', JSON.parse(ended.out));
  }
  // The files of the checkout followed, with both works and both memories, and nothing of the runs themselves.
  expect(p.read('one.txt') + p.read('two.txt')).toBe('onetwo');
  expect(p.read('.runner/state/assumptions.md')).toBe(
    `# Assumptions\n\n${order.map((id) => `- said by ${id}\n`).join('')}`,
  );
  expect(p.read('.runner/GOAL.md')).not.toContain('id:');
  expect(p.runState()).toMatchObject({ run_id: null, next_iter: 1, base_branch: null });
  expect(p.tree()).toMatchObject({ id: 'root', passes: false, children: [] });
  expect(existsSync(join(p.dir, '.runner/nodes'))).toBe(false);
  await expectSoundRepository(p);
  const refs = await p.git('for-each-ref', '--format=%(refname)');
  expect(refs.split('\n').toSorted()).toEqual([
    'refs/heads/main',
    'refs/runner/archive/one',
    'refs/runner/archive/two',
  ]);
  expect((await p.git('log', '--format=%s', '-2')).split('\n').toSorted()).toEqual([
    'feat: first page',
    'fix: second',
  ]);
  const body = await p.git('log', '-1', '--format=%B', '--grep=Runner-Run: one');
  expect(body).toContain('- Root (root)\n\nRunner-Run: one\nRunner-Iterations: 1\nRunner-Passes: 1/1\n');
  expect(body).toContain('Runner-Archive: refs/runner/archive/one\n');
  // The checkouts of the runs are where main is, without a branch: main is checked out elsewhere.
  expect(await runs.one.git('status', '--porcelain')).toBe('');
  expect(await runs.one.git('branch', '--show-current')).toBe('');
  // The next goal can begin at once.
  p.put('.runner/GOAL.md', '---\nid: three\n---\n\n# Third\n');
  const next = await p.run('start', '--no-baseline');
  expect(next, next.err).toMatchObject({ code: 0 });
});

test('finish refuses on red, on conflicts and on a dirty target, and succeeds after', async () => {
  const tree = node('root', { children: [node('root.1')] });
  const p = await unstartedProject({ ...shell, tree, files: { 'code.txt': 'old\n' } });
  playGuard(p, 'test ! -e broken');
  const run = await runIn(p, 'one', '# First page\n');
  expect(await p.run('finish', 'one')).toMatchObject({ code: 1, err: expect.stringContaining('--partial') });
  playAgent(p, onePass({ 'code.txt': 'mine\n', 'new.txt': 'new\n' }, 'one'));
  expect(await run.run('loop')).toMatchObject({ code: 0 });
  const main = await p.git('rev-parse', 'main');
  const refs = await p.git('for-each-ref');

  // Red on the merged files: the target has a file that the run never saw.
  playGuard(p, 'echo looking; ! ls new.txt');
  const red = await p.run('finish', 'one');
  expect(red, red.err).toMatchObject({ code: 1 });
  expect(red.err).toContain('the guard is not green on the merged files');
  expect(red.err).toContain('new.txt');
  playGuard(p, 'test ! -e broken');

  // A dirty target.
  p.put('README.md', '# changed\n');
  const dirty = await p.run('finish', 'one');
  expect(dirty.err).toContain("'main' is checked out in");
  expect(dirty.err).toContain('README.md');
  expect(p.read('README.md')).toBe('# changed\n');
  expect([await p.git('rev-parse', 'main'), await p.git('for-each-ref')]).toEqual([main, refs]);

  // A conflict: nothing changes, update leaves it in the run's work tree, and a person solves it there.
  p.put('code.txt', 'theirs\n');
  await p.commitAll('people go on');
  const conflict = await p.run('finish', 'one');
  expect(conflict).toMatchObject({ code: 1, err: expect.stringContaining('runner update one') });
  expect(conflict.err).toContain('code.txt');
  const before = run.read('.runner/state/tree.json');
  const updating = await p.run('update', 'one');
  expect(updating).toMatchObject({ code: 1, err: expect.stringContaining('git commit --no-edit') });
  expect(run.read('code.txt')).toContain('<<<<<<<');
  expect(run.read('.runner/state/tree.json')).toBe(before);
  run.put('code.txt', 'both\n');
  await run.git('add', '-A');
  await run.git('commit', '-q', '--no-edit');
  expect(await run.git('log', '-1', '--format=%s %(trailers:key=Runner-Person,valueonly)')).toContain(
    "Merge branch 'main' into runner/one update",
  );
  expect(await run.git('rev-parse', 'HEAD^2')).toBe(await p.git('rev-parse', 'main'));
  expect(await p.run('update', 'one')).toMatchObject({
    code: 0,
    out: expect.stringContaining('commit=none'),
  });

  // Reopened: there is more to do, and it is part of what is merged.
  expect(await run.run('add', 'root', '--title', 'More', '--goal', 'more')).toMatchObject({ code: 0 });
  expect(await p.run('finish', 'one')).toMatchObject({ code: 1, err: expect.stringContaining('1 of 2') });
  playAgent(p, onePass({ 'more.txt': 'more' }, 'two'));
  expect(await run.run('loop')).toMatchObject({ code: 0 });
  // What blocks new files is kept; then it succeeds.
  p.put('new.txt', "a person's\n");
  expect(await p.run('finish', 'one')).toMatchObject({ code: 1, err: expect.stringContaining('new.txt') });
  expect(p.read('new.txt')).toBe("a person's\n");
  // The run is as open as before: no archive, and one of a finish that was cut off counts for nothing.
  expect(await p.git('for-each-ref', 'refs/runner')).toBe('');
  await p.git('update-ref', 'refs/runner/archive/one', 'runner/one');
  expect(await p.run('runs')).toMatchObject({ out: expect.stringMatching(/one .*complete/u) });
  expect((await p.run('clean', '--archive')).out).toContain('removed=0');
  expect(await run.run('start')).toMatchObject({
    code: 1,
    err: expect.stringContaining('runner finish one'),
  });
  await p.git('update-ref', '-d', 'refs/runner/archive/one');
  await p.git('clean', '-fdq');
  const done = await p.run('finish', 'one', '--merge');
  expect(done, done.err).toMatchObject({ code: 0 });
  expect(p.read('code.txt') + p.read('README.md')).toBe('both\n# changed\n');
  expect(await p.git('rev-parse', 'HEAD^2')).toBe(await p.git('rev-parse', 'refs/runner/archive/one'));
  await expectSoundRepository(p);
});

test('a target that is switched while the guard works stays, and so does the branch it was switched to', async () => {
  const p = await unstartedProject(shell);
  playGuard(p, 'exit 0');
  const run = await runIn(p, 'one', '# First page\n');
  playAgent(p, onePass({ 'one.txt': 'one' }, 'one'));
  expect(await run.run('loop')).toMatchObject({ code: 0 });
  await p.git('branch', '-q', 'other');
  const refs = await p.git('for-each-ref');
  // Away from the target, then to it: both times nothing moves, and the run is as open as before.
  for (const branch of ['other', 'main']) {
    playGuard(p, `env -u GIT_DIR -u GIT_WORK_TREE git -C '${p.dir}' switch -q ${branch}`);
    const moved = await p.run('finish', 'one');
    expect(moved, moved.err).toMatchObject({
      code: 1,
      err: expect.stringContaining('the checkout of main moved'),
    });
    expect([await p.git('branch', '--show-current'), await p.git('for-each-ref')]).toEqual([branch, refs]);
    expect(await p.git('status', '--porcelain')).toBe('');
  }
  playGuard(p, 'exit 0');
  expect(await p.run('finish', 'one')).toMatchObject({ code: 0 });
  expect(p.read('one.txt')).toBe('one');
  await expectSoundRepository(p);
});

test('in the only checkout: into a new branch for a pull request, with the hooks of the user', async () => {
  const p = await completeRun({ guard: ['test', '-f', 'work.txt'] });
  const hook = join(p.top, '.git/hooks/pre-commit');
  const said = join(p.base, 'said');
  writeFileSync(
    hook,
    `#!/bin/sh\npwd > ${said}\ntest -e ${join(p.base, 'allowed')} || { echo not today; exit 1; }\n`,
  );
  chmodSync(hook, 0o755);
  const main = await p.git('rev-parse', 'main');
  const tip = await p.git('rev-parse', 'HEAD');
  const shown = await p.run('finish', '--into', 'feature/page', '--dry-run');
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('files=1') });
  expect(existsSync(said)).toBe(false);
  const hooked = await p.run('finish', '--into', 'feature/page');
  expect(hooked).toMatchObject({ code: 1, err: expect.stringContaining('not today') });
  expect(await p.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/heads/runner/test');
  writeFileSync(join(p.base, 'allowed'), '');
  const done = await p.run('finish', '--into', 'feature/page');
  expect(done, done.err).toMatchObject({ code: 0 });
  expect(done.err).toContain('test is finished, its work is on feature/page; checked out here: feature/page');
  expect(done.err).not.toContain('push');
  expect(done.out).toContain('into=feature/page mode=squash');
  // Not in the checkout of the person, which is on the new branch now.
  expect(p.read('../said')).not.toContain(`${p.top}\n`);
  expect(await p.git('branch', '--show-current')).toBe('feature/page');
  expect(await p.git('rev-parse', 'HEAD^')).toBe(main);
  expect(await p.git('rev-parse', 'main', 'refs/runner/archive/test')).toBe(`${main}\n${tip}`);
  expect(await p.git('branch', '--format=%(refname:short)')).toBe('feature/page\nmain');
  expect(p.read('work.txt')).toBe('work\n');
  await expectSoundRepository(p);
  expect(await p.run('finish', 'test', '--into', 'feature/page')).toMatchObject({ code: 0 });
  expect(await p.run('finish', 'nobody')).toMatchObject({
    code: 1,
    err: expect.stringContaining("no run 'nobody'"),
  });
  expect(await p.run('finish', '--merge', '--squash')).toMatchObject({ code: 64 });
});

test('a part of a run, its branch kept, and a PRD that is told what became of its tasks', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playGuard(p, 'test ! -e broken');
  const prd = join(p.base, 'prd.json');
  const tasks = ['first', 'second'].map((id) => ({ id, title: `Task ${id}`, status: 'todo', extra: [1] }));
  writeFileSync(prd, `${JSON.stringify({ tasks }, null, 4)}\n`);
  expect(await p.run('import', prd)).toMatchObject({ code: 0 });
  playAgent(p, 'echo one > one.txt; answer done');
  expect(await p.run('step')).toMatchObject({ code: 0 });
  playAgent(p, 'answer retry "cannot be done"');
  expect(await p.run('step')).toMatchObject({ code: 0 });
  expect(await p.run('finish', '--sync', 'README.md', '--partial')).toMatchObject({ code: 64 });
  const done = await p.run('finish', '--partial', '--keep-branch', '--sync', prd, '--json');
  expect(done, done.err).toMatchObject({ code: 0 });
  expectOutput('finish', JSON.parse(done.out));
  expect(JSON.parse(readFileSync(prd, 'utf8'))).toEqual({
    tasks: [
      { ...tasks[0], status: 'review', lastRun: 'test' },
      { ...tasks[1], status: 'in_progress', failureNotes: 'cannot be done', lastRun: 'test' },
    ],
  });
  expect(await p.git('log', '-1', '--format=%(trailers:key=Runner-Passes,valueonly)')).toContain('1/2');
  expect(await p.git('rev-parse', 'runner/test')).toBe(await p.git('rev-parse', 'refs/runner/archive/test'));
  expect(await p.git('branch', '--show-current')).toBe('main');
  await expectSoundRepository(p);
});

test('[trap: the hint would have committed the markers] conflicts with main that nobody solved: every command says so', async () => {
  const p = await completeRun({ files: { 'work.txt': 'old\n' } });
  await p.git('switch', '-q', 'main');
  p.put('work.txt', 'theirs\n');
  await p.commitAll('people go on');
  const { hint } = await refused(p, ['finish', 'test']);
  const [first = ''] = hint.split(', ');
  expect(first).toBe('git switch runner/test && runner update');
  await p.git('switch', '-q', 'runner/test');
  expect((await p.run('update')).err).toContain('the merge is begun in');
  for (const command of ['finish', 'update', 'loop', 'start']) {
    const told = await refused(p, [command]);
    expect(told, command).toMatchObject({
      code: 'GIT_CONFLICT',
      message: 'git stopped at conflicts that are not solved: "work.txt"',
      hint: 'solve them, then: git add -A && git commit; or undo the merge: git reset --merge',
    });
  }
  const status = await p.run('status', '--json');
  expect(JSON.parse(status.out)).toMatchObject({ situation: { state: 'stopped', code: 'GIT_CONFLICT' } });
  await typeHint(p, 'git reset --merge');
  expect((await p.run('status')).out).not.toContain('GIT_CONFLICT');
});
