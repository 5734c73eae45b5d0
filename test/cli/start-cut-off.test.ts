/** A run whose start was cut off while the guard ran has not begun (§12): it begins afresh, with everything that a start finds out. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cancelRun, progressOf, recordOf, resumeRun, startRun } from '../support/background.ts';
import { hasBwrap } from '../support/bwrap.ts';
import type { Project } from '../support/project.ts';
import { unstartedProject } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';

const finish = `printf '{"status":"done","summary":"did it","children":null}' > "$RUNNER_OUTPUT"\n`;
const sandbox = hasBwrap ? 'bwrap' : 'none';

/** The guard waits until there is a file `go`, and says that it waits. */
function waiting(): Promise<Project> {
  return unstartedProject({
    config: '[sandbox]\nkind = "auto"\n',
    agent: 'name = "command"\ncommand = ["sh", "agent.sh"]',
    guard: ['sh', 'check.sh'],
    files: {
      '.gitignore': 'at-work\ngo\n',
      'agent.sh': finish,
      'check.sh': 'test -e go && exit\n: > at-work\nsleep 300\n',
    },
  });
}

async function waitForGuard(folder: string): Promise<void> {
  await waitUntil('the guard to be at work', () => existsSync(join(folder, 'at-work')));
}

describe('in the background', () => {
  test.each(['canceled', 'killed'] as const)('%s: resume begins it, in the sandbox', async (how) => {
    const p = await waiting();
    await startRun(p, 'c');
    const worktree = recordOf(p, 'c').worktree ?? '';
    await waitForGuard(worktree);
    if (how === 'canceled') await cancelRun(p, 'c');
    else process.kill(recordOf(p, 'c').owner?.pid ?? 0, 'SIGKILL');
    writeFileSync(join(worktree, 'go'), '');
    const record = await resumeRun(p, 'c');
    expect(record, progressOf(p, 'c')).toMatchObject({ sandbox });
    const state = JSON.parse(await p.git('show', 'runner/c:.runner/state/run_state.json')) as object;
    expect(state).toMatchObject({
      base_branch: 'main',
      guard_baseline: 'green',
      resolved: { sandbox, guard: hasBwrap },
    });
  });
});

describe('in place', () => {
  test.each([
    ['SIGTERM', ''],
    ['SIGKILL', 'runner start was cut off while the guard ran; HEAD has moved'],
  ] as const)('%s, and a person commits: start begins the run', async (signal, told) => {
    const p = await waiting();
    const goal = p.read('.runner/GOAL.md');
    const running = p.start(['start']);
    onTestFinished(() => {
      running.kill('SIGKILL');
    });
    await waitForGuard(p.dir);
    running.kill(signal);
    await running;
    const isUndone = signal === 'SIGTERM';
    expect(p.runState().run_id).toBe(isUndone ? null : 'test');
    expect(p.read('.runner/GOAL.md')).toBe(goal);
    p.put('notes.txt', 'mine\n');
    await p.commitAll('wip');
    p.put('go', '');
    const { err, code } = await p.run('start');
    expect(code, err).toBe(0);
    expect(err).toContain(told);
    expect(err).not.toContain('was gone');
    expect(p.runState()).toMatchObject({
      base_branch: 'main',
      base_commit: await p.git('rev-parse', 'main'),
      resolved: { sandbox, guard: hasBwrap },
    });
    expect(await p.git('branch', '--show-current')).toBe(`runner/${isUndone ? 'test' : 'test-2'}`);
    expect((await p.run('loop')).code).toBe(0);
    expect((await p.run('audit')).out).toContain('verdict=proven');
  });

  test('SIGTERM in the start of another goal: the run before it is as it was', async () => {
    const p = await waiting();
    p.put('go', '');
    await p.run('start');
    const tip = await p.git('rev-parse', 'HEAD');
    rmSync(join(p.dir, 'go'));
    p.put('.runner/GOAL.md', '---\nid: other\n---\n\n# Other\n\nAnother thing.\n');
    const running = p.start(['start']);
    onTestFinished(() => {
      running.kill('SIGKILL');
    });
    await waitForGuard(p.dir);
    running.kill('SIGTERM');
    await running;
    expect(await p.status()).toBe(' M .runner/GOAL.md');
    expect(await p.git('rev-parse', 'HEAD')).toBe(tip);
  });
});
