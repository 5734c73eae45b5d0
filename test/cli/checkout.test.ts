/** §14: the guard in a clone of its own, through the built binary: when it runs, what it catches, what it leaves behind. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clonesOf, expectNoTrace, inClone } from '../support/clones.ts';
import { expectOutput } from '../support/output-schema.ts';
import { answer, project, unstartedProject, write } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** Green where `built` is, which the project ignores. */
const needsBuilt = [
  'sh',
  '-c',
  'echo "in $(basename "$PWD")"; test -e built || { echo "error: no built"; exit 1; }',
];
const ignoring = { '.gitignore': 'built\ndeps/\n' };
const twoLeaves = node('root', { children: [node('a', { order: 0 }), node('b', { order: 1 })] });

const works = (n: number) => ({ actions: [write(`work-${n}.txt`, `${n}\n`)], answer: answer('done') });
const cheats = (n: number) => ({
  actions: [write(`work-${n}.txt`, `${n}\n`), write('built', 'x')],
  answer: answer('done'),
});

function ranInClone(p: Project, iter: number): boolean {
  return existsSync(join(p.dir, `.runner/iterations/test/${iter}/guard.clone.log`));
}

function toldNext(p: Project, id = 'root'): string {
  const last = JSON.parse(p.read(`.runner/nodes/${id}/last.json`)) as { guard_output: string };
  return last.guard_output;
}

describe('every', () => {
  test('a file that git ignores makes the guard green in place only: fail, one attempt, told why', async () => {
    const p = await project({ files: ignoring, guard: needsBuilt, checkout: 'every', script: [cheats(1)] });
    const ran = await p.run('step');
    expect(ran.err).toContain('rings: sandbox=none settings=on checkout=every');
    expect(ran.err).toContain('note: checking in a fresh clone');
    expect(ran.out).toContain('status=done guard=fail');
    expect(p.tree()).toMatchObject({ passes: false, attempts: 1 });
    const told = toldNext(p);
    expect(told).toContain('green in place, red in a fresh checkout: the guard ended with exit code 1');
    expect(told).toContain('a fresh checkout lacks them: "built"');
    expect(told).toContain('error: no built');
    expect(p.log(1, 'guard.log')).toBe('in repo\n');
    expect(p.log(1, 'guard.clone.log')).toBe('in repo\nerror: no built\n');
    expect(p.meta(1)).toMatchObject({
      rings: { sandbox: 'none', guard: 'outside', settings: true, checkout: 'every' },
      counterfactual: null,
    });
    expect((await p.git('show', '-s', '--format=%B')).split('\n')).toContain('Runner-Guard-Exit: 0');
    await expectNoTrace(p);
  });

  test('green in both places passes, at every leaf', async () => {
    const p = await project({ tree: twoLeaves, checkout: 'every', script: [works(1), works(2)] });
    expect(await p.run('loop')).toMatchObject({ code: 0 });
    expect([1, 2].map((iter) => ranInClone(p, iter))).toEqual([true, true]);
    await expectNoTrace(p);
  });

  test('out of time there is a fail, not the end of the iteration', async () => {
    const p = await project({
      agent: shellAgent,
      config: `[guard]\ncommand = ${JSON.stringify(shellGuard)}\ncheckout = "every"\ntimeout_secs = 1\n`,
    });
    playAgent(p, 'echo x > x.txt; answer done');
    playGuard(p, inClone('sleep 60'));
    expect((await p.run('step')).out).toContain('status=done guard=fail');
    expect(toldNext(p)).toContain(
      'red in a fresh checkout: the guard took longer than 1 s (guard.timeout_secs)',
    );
    await expectNoTrace(p);
  });

  test('a guard whose program no commit has is red there', async () => {
    const p = await project({
      files: { '.gitignore': 'check.sh\n' },
      config: '[guard]\ncommand = ["./check.sh"]\ncheckout = "every"\n',
      script: [works(1)],
    });
    writeFileSync(join(p.dir, 'check.sh'), '#!/bin/sh\n', { mode: 0o755 });
    expect((await p.run('step')).out).toContain('status=done guard=fail');
    expect(toldNext(p)).toContain('red in a fresh checkout: the guard could not be started');
    expect(toldNext(p)).toContain('"check.sh"');
    await expectNoTrace(p);
  });
});

describe('final', () => {
  test('only the pass that completes the tree is tried in a clone', async () => {
    const p = await project({
      files: ignoring,
      tree: twoLeaves,
      guard: needsBuilt,
      checkout: 'final',
      script: [cheats(1), cheats(2)],
    });
    expect((await p.run('step')).out).toContain('node=a status=done guard=pass');
    expect(ranInClone(p, 1)).toBe(false);
    expect((await p.run('step')).out).toContain('node=b status=done guard=fail');
    expect(p.tree()).toMatchObject({ passes: false, children: [{ passes: true }, { attempts: 1 }] });
    await expectNoTrace(p);
  });
});

describe('off', () => {
  test('no clone is made', async () => {
    const p = await project({ files: ignoring, guard: needsBuilt, checkout: 'off', script: [cheats(1)] });
    expect((await p.run('step')).out).toContain('status=done guard=pass');
    expect(ranInClone(p, 1)).toBe(false);
    expect(existsSync(join(p.home, '.local/state/runner/judge'))).toBe(false);
  });
});

describe('auto', () => {
  test('start tries both places; green means final, and status says so', async () => {
    const p = await unstartedProject({ checkout: 'auto', tree: twoLeaves, script: [works(1), works(2)] });
    const started = await p.run('start');
    expect(started, started.err).toMatchObject({ code: 0 });
    expect(started.err).toContain('note: checking in a fresh clone');
    expect(p.runState().guard_checkout).toMatchObject({
      mode: 'final',
      reason: 'the guard is green in a fresh clone, too',
    });
    expect(ranInClone(p, 0)).toBe(true);
    const status = await p.run('status');
    expect(status.out).toContain(
      'status: checkout=final setting=auto reason=the_guard_is_green_in_a_fresh_clone,_too',
    );
    await expectNoTrace(p);
    expect((await p.run('loop')).code).toBe(0);
    expect([1, 2].map((iter) => ranInClone(p, iter))).toEqual([false, true]);
    expect(p.meta(1)).toMatchObject({ rings: { checkout: 'final' } });
  });

  test('start warns when the guard is red in the clone, and proposes setup', async () => {
    const p = await unstartedProject({ files: ignoring, guard: needsBuilt, checkout: 'auto' });
    p.put('built', 'x');
    const { code, err } = await p.run('start');
    expect(code).toBe(0);
    expect(err).toContain(
      'warning: the guard is green here but red in a fresh clone: the guard ended with exit code 1 (error: no built)',
    );
    expect(err).toContain(`runner config set automation.setup '["npm ci"]'`);
    expect(p.runState()).toMatchObject({ guard_baseline: 'green', guard_checkout: { mode: 'off' } });
    const value = JSON.parse((await p.run('status', '--json')).out) as Record<string, unknown>;
    expectOutput('status', value);
    expect(value['checkout']).toEqual({
      setting: 'auto',
      mode: 'off',
      reason: 'red in a fresh clone: the guard ended with exit code 1 (error: no built)',
    });
    await expectNoTrace(p);
  });

  test('with another setting start warns, too, and decides nothing', async () => {
    const p = await unstartedProject({ files: ignoring, guard: needsBuilt, checkout: 'every' });
    p.put('built', 'x');
    expect((await p.run('start')).err).toContain('until then guard.checkout = "every" lets no node pass');
    expect(p.runState().guard_checkout).toBeNull();
  });

  test('without a baseline the first pass decides, and is not withheld; other settings decide anew', async () => {
    const p = await project({
      files: ignoring,
      tree: twoLeaves,
      guard: needsBuilt,
      checkout: 'auto',
      script: [cheats(1), cheats(2)],
    });
    const first = await p.run('step');
    expect(first.out).toContain('node=a status=done guard=pass');
    expect(first.err).toContain('note: guard.checkout = "auto" is "off" from now on: red in a fresh clone');
    expect(p.runState().guard_checkout?.mode).toBe('off');
    expect(await p.run('config', 'set', 'automation.setup', '["touch built"]')).toMatchObject({ code: 0 });
    expect((await p.run('step')).out).toContain('node=b status=done guard=pass');
    expect(p.runState().guard_checkout?.mode).toBe('final');
    expect(p.log(2, 'setup.log')).toBe('$ touch built\n');
  });
});

describe('a guard that changes files in the clone', () => {
  const shell = { agent: shellAgent, guard: shellGuard, checkout: 'every' };

  test('the change becomes the work, and is checked once more', async () => {
    const p = await project(shell);
    playAgent(p, 'echo rough > work.txt; echo gone > gone.txt; answer done');
    playGuard(p, inClone('echo fine > work.txt; rm -f gone.txt; echo new > new.txt'));
    const ran = await p.run('step');
    expect(ran.out).toContain('status=done guard=pass');
    expect(await p.git('show', 'HEAD:work.txt')).toBe('fine');
    expect(await p.git('ls-tree', '--name-only', 'HEAD', 'gone.txt', 'new.txt')).toBe('new.txt');
    expect(ran.err).toContain(
      'the guard changed "gone.txt", "new.txt", "work.txt": what it was before is kept',
    );
    expect(await p.git('show', 'refs/runner/rescue/test/1:work.txt')).toBe('rough');
    await expectNoTrace(p);
  });

  test('one that keeps changing them fails by name', async () => {
    const p = await project(shell);
    playAgent(p, 'echo rough > work.txt; answer done');
    playGuard(p, inClone('echo more >> work.txt'));
    expect((await p.run('step')).out).toContain('status=done guard=fail');
    expect(toldNext(p)).toContain('the guard keeps changing files: "work.txt"');
    expect(await p.status()).toBe('');
  });

  test('what it changes in the work tree from there is put back and kept', async () => {
    const p = await project(shell);
    playAgent(p, 'echo mine > work.txt; answer done');
    playGuard(p, inClone(`echo theirs > '${p.dir}/work.txt'`));
    const ran = await p.run('step');
    expect(ran.out).toContain('status=done guard=pass');
    expect(ran.err).toContain('the work tree changed while the guard ran in its clone: put back "work.txt"');
    expect(await p.git('show', 'HEAD:work.txt')).toBe('mine');
    expect(await p.git('show', 'refs/runner/rescue/test/1:work.txt')).toBe('theirs');
    await expectNoTrace(p);
  });
});

describe('places', () => {
  test('a project in a sub-folder, with branches and tags, on the branch of the run', async () => {
    const p = await project({ prefix: 'app/', agent: shellAgent, guard: shellGuard, checkout: 'every' });
    await p.git('tag', 'v1', 'main');
    playAgent(p, 'echo x > x.txt; answer done');
    playGuard(
      p,
      'set -e; pwd; test -e x.txt; test -e ../app/x.txt; git describe --tags; git diff --quiet main -- ../README.md || true; git rev-parse --verify -q main; git branch --show-current; git status --porcelain',
    );
    const ran = await p.run('step');
    expect(ran.out, p.log(1, 'guard.clone.log')).toContain('status=done guard=pass');
    const lines = p.log(1, 'guard.clone.log').split('\n');
    expect(lines[0]).toMatch(/\/judge\/.*\/repo\/app$/);
    expect(lines.slice(3)).toEqual(['runner/test', '']);
    await expectNoTrace(p);
  });

  test('submodules of the work tree are there; one that the session made is not', async () => {
    const p = await project({ agent: shellAgent, guard: shellGuard, checkout: 'every' });
    const library = join(p.base, 'library');
    mkdirSync(library);
    await p.git('-C', library, 'init', '-q', '-b', 'main');
    writeFileSync(join(library, 'code.txt'), 'c\n');
    await p.git('-C', library, 'add', '-A');
    const as = ['-c', 'user.name=x', '-c', 'user.email=x@test.invalid'];
    await p.git('-C', library, ...as, 'commit', '-q', '-m', 'code');
    await p.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library, 'lib');
    await p.commitAll('add a submodule');
    playAgent(p, 'echo x > x.txt; answer done');
    playGuard(p, 'test -e lib/code.txt && test ! -e made || test -e made/m.txt');
    expect((await p.run('step')).out).toContain('status=done guard=pass');

    const q = await project({ agent: shellAgent, guard: shellGuard, checkout: 'every' });
    playAgent(
      q,
      `git init -q made; echo m > made/m.txt; git -C made add -A; git -C made ${as.join(' ')} commit -qm m
       git config -f .gitmodules submodule.made.path made; git config -f .gitmodules submodule.made.url ./made
       git add -A; answer done`,
    );
    playGuard(q, 'test -e made/m.txt');
    const ran = await q.run('step');
    expect(ran.out).toContain('status=done guard=fail');
    expect(ran.err).toContain('a session made or moved the submodule "made", so the clone does not have it');
  });

  test('where the state folder cannot be, the temporary folder is used; without any the run stops', async () => {
    const p = await project({ tree: twoLeaves, checkout: 'every', script: [works(1), works(2)] });
    const nowhere = { XDG_STATE_HOME: '/dev/null/state' };
    expect((await p.runWith(nowhere, 'step')).out).toContain('status=done guard=pass');
    expect(clonesOf(p)).toEqual([]);
    p.put('../home/.local/state/runner/judge', 'a file');
    const stopped = await p.runWith({ TMPDIR: '/dev/null/tmp' }, 'step');
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain('the fresh clone for the guard could not be made');
    expect(p.tree()).toMatchObject({ passes: false, children: [{}, { passes: false, attempts: 0 }] });
  });
});
