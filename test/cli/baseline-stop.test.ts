/** `start` stopped while the guard runs before the run begins (§11, §7): Ctrl-C skips it, other signals stop, a crash is undone. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import type { Project } from '../support/project.ts';
import { unstartedProject } from '../support/project.ts';
import { fingerprint, readRefusal, typeHint } from '../support/refusals.ts';
import { waitUntil } from '../support/scratch.ts';
import { isAlive, pidsIn, playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';

const unstarted = template(() =>
  unstartedProject({ guard: shellGuard, files: { '.gitignore': '.env\n', 'a.txt': 'a\n' } }),
);

/** Changes files, leaves children, says when it is at work, and waits. */
const waits = `
echo changed > a.txt; mkdir -p build; echo x > build/x
setsid sleep 300 & echo $! >> "$HOME/pids"
echo $$ >> "$HOME/pids"
touch "$HOME/ready"
sleep 300`;

/** Starts `runner start` and returns it with the guard at work; `err` is what it has said so far. */
async function startWaiting(p: Project, guard = waits) {
  playGuard(p, guard);
  rmSync(join(p.home, 'ready'), { force: true });
  const running = p.start(['start']);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  let text = '';
  running.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await waitUntil('the guard to be at work', () => existsSync(join(p.home, 'ready')));
  return { running, err: () => text };
}

async function kill(p: Project, guard = waits): Promise<void> {
  const { running } = await startWaiting(p, guard);
  running.kill('SIGKILL');
  expect(await running).toMatchObject({ signal: 'SIGKILL' });
  expect(hasJournal(p)).toBe(true);
}

function hasJournal(p: Project): boolean {
  return hasOpenJournal(p.top);
}

/** Work tree, branch and processes are as before the guard. */
async function expectUndone(p: Project): Promise<void> {
  expect(p.read('a.txt')).toBe('a\n');
  expect(existsSync(join(p.dir, 'build/x'))).toBe(false);
  expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
  expect(await p.git('show', 'refs/runner/rescue/test/0:a.txt')).toBe('changed');
  expect(await p.git('show', 'refs/runner/rescue/test/0:build/x')).toBe('x');
  expect(hasJournal(p)).toBe(false);
  expect(await p.git('status', '--porcelain', '--', ':!.runner')).toBe('');
}

/** The runner's own ref, which goes with the journal. */
function withoutHold(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('.git/refs/runner')));
}

describe('signals', () => {
  test('Ctrl-C ends the guard, and start goes on without a baseline; a later start takes it', async () => {
    const p = await unstarted();
    const { running } = await startWaiting(p);
    running.kill('SIGINT');
    const ran = await running;
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: 'started run=test branch=runner/test' });
    expect(ran.stderr).toContain('SIGINT: skipping the guard; a second signal stops at once\n');
    expect(ran.stderr).toContain('baseline: skipped · ');
    expect(ran.stderr).toContain("echo 'build/' >> .gitignore");
    expect(ran.stderr).not.toContain('already fails');
    await expectUndone(p);
    expect(p.runState().guard_baseline).toBeNull();
    expect(await p.git('branch', '--show-current')).toBe('runner/test');
    playGuard(p, 'true');
    expect(await p.run('start')).toMatchObject({ code: 0 });
    expect(p.runState().guard_baseline).toBe('green');
  });

  test('after a skip Ctrl-C asks for a clean stop again', async () => {
    const p = await unstarted();
    // A clean filter of the repository holds git up while the guard's files are kept.
    await p.git(
      'config',
      'filter.slow.clean',
      'touch "$HOME/held"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; cat',
    );
    await p.git('config', 'core.attributesFile', join(p.home, 'attributes'));
    writeFileSync(join(p.home, 'attributes'), 'late.txt filter=slow\n');
    const { running, err } = await startWaiting(p, `echo x > late.txt; ${waits}`);
    running.kill('SIGINT');
    await waitUntil('the files to be looked at', () => existsSync(join(p.home, 'held')));
    running.kill('SIGINT');
    await waitUntil('the second to be heard', () => err().includes('stopping cleanly'));
    await typeHint(p, 'touch "$HOME/go"');
    expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
    await expectUndone(p);
    expect(await p.git('branch', '--list', 'runner/*')).toBe('');
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s stops start: files back, no branch, and the next one works', async (signal, code) => {
    const p = await unstarted();
    const { running } = await startWaiting(p);
    running.kill(signal);
    const ran = await running;
    expect(ran, ran.stderr).toMatchObject({ exitCode: code, stdout: '' });
    expect(ran.stderr).toContain(`error: stopped by ${signal} [INTERRUPTED]\nhint: runner start`);
    expect(ran.stderr).toContain('  note: the guard made "build/x": removed, and kept as ');
    await expectUndone(p);
    expect(await p.git('branch', '--list', 'runner/*')).toBe('');
    expect(await p.git('branch', '--show-current')).toBe('main');
    playGuard(p, 'true');
    expect(await p.run('start')).toMatchObject({ code: 0 });
    expect(p.runState().guard_baseline).toBe('green');
  });

  test('Ctrl-C twice stops at once; the next start undoes it and goes on', async () => {
    const p = await unstarted();
    const { running, err } = await startWaiting(p, `trap '' TERM; ${waits}; while :; do sleep 1; done`);
    running.kill('SIGINT');
    await waitUntil('the first to be heard', () => err().includes('a second signal stops at once'));
    running.kill('SIGINT');
    expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
    await waitUntil('all processes to be gone', () =>
      pidsIn(join(p.home, 'pids')).every((pid) => !isAlive(pid)),
    );
    expect(hasJournal(p)).toBe(true);
    playGuard(p, 'exit 1');
    const next = await p.run('start');
    expect(next, next.err).toMatchObject({ code: 0 });
    expect(next.err).toContain('note: runner start was cut off while the guard ran; it was undone');
    await expectUndone(p);
    expect(p.runState().guard_baseline).toBe('red');
  });
});

describe('a crash while the guard runs', () => {
  test('is undone by the next start, which takes the baseline again', async () => {
    const p = await unstarted();
    await kill(p);
    expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).not.toEqual([]);
    playGuard(p, 'true');
    const next = await p.run('start');
    expect(next, next.err).toMatchObject({ code: 0, out: 'started run=test branch=runner/test' });
    expect(next.err).toContain(
      'note: the guard made "build/x": removed, and kept as refs/runner/rescue/test/0. ',
    );
    expect(next.err).toContain('baseline: green');
    await expectUndone(p);
  });

  test.each(['step', 'loop'])('is undone by %s, which then says that no run has begun', async (command) => {
    const p = await unstarted();
    await kill(p);
    const next = await p.run(command);
    expect(next).toMatchObject({ code: 1, out: '' });
    const { hint } = readRefusal(next);
    await expectUndone(p);
    playGuard(p, 'true');
    await typeHint(p, hint);
    expect(p.runState().guard_baseline).toBe('green');
  });

  test("in .runner/ what is gone comes back, and a person's edits since then stand", async () => {
    const p = await unstarted();
    p.put('.runner/GOAL.md', '---\nid: test\n---\nNot committed.\n');
    p.put('.runner/nodes/root/context.md', 'of a person\n');
    await kill(p, `rm -r .runner/nodes .runner/GOAL.md; ${waits}`);
    const config = `${p.read('.runner/state/config.toml')}baseline = false\n`;
    p.put('.runner/state/config.toml', config);
    const next = await p.run('start');
    expect(next, next.err).toMatchObject({ code: 0 });
    expect(next.err).not.toContain('baseline: ');
    await expectUndone(p);
    expect(p.read('.runner/state/config.toml')).toBe(config);
    expect(p.read('.runner/nodes/root/context.md')).toBe('of a person\n');
    expect(await p.git('show', 'HEAD:.runner/GOAL.md')).toContain('Not committed.');
  });

  test('after which a person committed or switched branches: everything is left as found', async () => {
    for (const person of [
      ['commit', '-qam', 'mine'],
      ['switch', '-q', '-c', 'other'],
    ]) {
      const p = await unstarted();
      await kill(p);
      await p.git(...person);
      const branch = await p.git('branch', '--show-current');
      const head = await p.git('rev-parse', 'HEAD');
      const files = withoutHold(fingerprint(p.top));
      const next = await p.run('start');
      expect(next).toMatchObject({ code: 1, out: '' });
      expect(next.err).toContain(
        'note: runner start was cut off while the guard ran; HEAD has moved since then, so everything is left as found',
      );
      const { code, details, hint } = readRefusal(next);
      expect(code).toBe('GIT_DIRTY');
      expect(details).toContain('?? "build/x"');
      expect(withoutHold(fingerprint(p.top))).toEqual(files);
      expect(await p.git('branch', '--show-current')).toBe(branch);
      expect(await p.git('rev-parse', 'HEAD')).toBe(head);
      expect(pidsIn(join(p.home, 'pids')).filter(isAlive)).toEqual([]);
      playGuard(p, 'true');
      await typeHint(p, hint.split('or: ')[1] ?? '');
      expect(await p.run('start')).toMatchObject({ code: 0 });
    }
  });

  test('in another project folder of the work tree: refused with the command that undoes it', async () => {
    const p = await unstartedProject({ guard: shellGuard, prefix: 'one/', files: { 'a.txt': 'a\n' } });
    await kill(p);
    const other = await p.run('start', '-C', '..');
    expect(other).toMatchObject({ code: 1 });
    const found = readRefusal(other);
    expect(found).toMatchObject({
      code: 'RUN_UNFINISHED',
      message: "the start of run test in the folder 'one/' is unfinished",
    });
    expect(readFileSync(join(p.dir, 'a.txt'), 'utf8')).toBe('changed\n');
    playGuard(p, 'true');
    await typeHint(p, found.hint);
    expect(p.read('a.txt')).toBe('a\n');
    expect(p.runState().guard_baseline).toBe('green');
  });
});
