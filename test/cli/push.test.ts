/** `--push`: two workers, each with a clone of its own, and one remote; of two workers on one run the slower stops (§13). */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { expectNoProcesses, recordOf, startRun, waitForEnd } from '../support/background.ts';
import { openProject, project, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { fakeProgram, playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const works = 'echo work >> "work-$RUNNER_NODE_ID.txt"; answer done';

/** A started run of three leaves, `main` and the remote at hand. */
async function worker() {
  const p = await project({
    agent: shellAgent,
    tree: node('root', { children: ['a', 'b', 'c'].map((id, order) => node(id, { order })) }),
  });
  const remote = await addRemote(p);
  playAgent(p, works);
  return { p, remote, tipOf: () => p.git('--git-dir', remote, 'rev-parse', 'runner/test') };
}

async function addRemote(p: Project): Promise<string> {
  const remote = join(p.base, 'remote.git');
  await p.git('init', '-q', '--bare', '-b', 'main', remote);
  await p.git('remote', 'add', 'origin', remote);
  await p.git('push', '-q', 'origin', 'main');
  return remote;
}

/** The person's own way to another machine, which must not ask in the terminal. */
function fakeSsh(p: Project): Record<string, string> {
  fakeProgram(p, 'their-ssh', 'shift; [ "$SSH_ASKPASS_REQUIRE" = force ] && exec sh -c "$*"');
  return { GIT_SSH_COMMAND: join(p.home, 'bin', 'their-ssh'), GIT_SSH_VARIANT: 'simple' };
}

async function secondWorker(p: Project, remote: string): Promise<Project> {
  const base = join(p.base, 'second');
  await p.git('clone', '-q', remote, join(base, 'repo'));
  const second = openProject({ base, prefix: '' });
  await second.git('config', 'user.name', 'Second Person');
  await second.git('config', 'user.email', 'second@test.invalid');
  playAgent(p, works);
  return second;
}

test('a run moves to another worker, and the one that was left behind stops', async () => {
  const { p, remote, tipOf } = await worker();
  // Where the remote leads is settled before a session can change it.
  playAgent(p, `git config remote.origin.pushurl "$HOME/elsewhere"; ${works}`);
  await p.git('remote', 'set-url', 'origin', `host:${remote}`);
  const pushing = await p.runWith({ RUNNER_GIT_PUSH: 'origin' }, 'doctor');
  expect(pushing.out + pushing.err).toContain(
    `each iteration is pushed to origin (host:${remote}); not tried`,
  );
  const unknown = await p.runWith({ RUNNER_GIT_PUSH: 'elsewhere' }, 'doctor');
  expect(unknown.code).toBe(1);
  expect(unknown.out + unknown.err).toContain("git.push names the remote 'elsewhere'");
  const first = await p.runWith(fakeSsh(p), 'step', '--push', 'origin');
  expect(first, first.err).toMatchObject({ code: 0 });
  expect(first.err).toContain(`note: runner/test is pushed to origin (host:${remote}) after each iteration`);
  expect(await tipOf()).toBe(await p.git('rev-parse', 'HEAD'));
  await p.git('config', '--unset', 'remote.origin.pushurl');
  await p.git('remote', 'set-url', 'origin', remote);

  const second = await secondWorker(p, remote);
  const inFirstHome = { HOME: p.home };
  expect(await second.runWith(inFirstHome, 'start')).toMatchObject({ code: 0 });
  expect(await second.git('rev-parse', 'HEAD')).toBe(await tipOf());
  expect(await second.runWith(inFirstHome, 'step')).toMatchObject({ code: 0 });

  // Both have worked on the second leaf; the other worker is faster.
  playAgent(p, `git -C '${second.top}' push -q origin runner/test; ${works}`);
  const fenced = await p.run('loop', '--push', 'origin');
  expect(fenced.code).toBe(1);
  expect(fenced.out).toContain('loop: step run=test iter=2 node=b');
  expect(fenced.err).toContain('[PUSH_REJECTED]');
  const left = await p.git('rev-parse', 'HEAD');
  expect(await tipOf()).toBe(await second.git('rev-parse', 'HEAD'));
  expect(left).not.toBe(await tipOf());

  // Who was fenced off does not pay for a session.
  playAgent(p, 'touch "$HOME/paid"; answer done');
  const again = await p.run('loop', '--push', 'origin', '--json');
  expect(again.code).toBe(1);
  expect(JSON.parse(again.out.split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'PUSH_REJECTED' } });
  expect(existsSync(join(p.home, 'paid'))).toBe(false);

  const hint = /hint: (git branch .+ FETCH_HEAD)/.exec(fenced.err)?.[1] ?? '';
  await execa('sh', ['-c', hint], { cwd: p.top, env: p.env, extendEnv: false });
  expect(await p.git('rev-parse', `fenced-${left.slice(0, 7)}`)).toBe(left);
  playAgent(p, works);
  const ended = await p.run('loop', '--push', 'origin');
  expect(ended, ended.err).toMatchObject({ code: 0 });
  expect(await tipOf()).toBe(await p.git('rev-parse', 'HEAD'));
  expect(p.tree().passes).toBe(true);
});

test('a background run is pushed; killed and gone on with elsewhere, it stops at the fence when it comes back', async () => {
  const p = await unstartedProject({
    agent: shellAgent,
    tree: node('root', { children: ['a', 'b'].map((id, order) => node(id, { order })) }),
  });
  const remote = await addRemote(p);
  playAgent(p, `if test "$RUNNER_NODE_ID" = b; then : > "$HOME/at-b"; sleep 600; fi; ${works}`);
  await startRun(p, 'moved', { args: ['--push', 'origin'] });
  await waitUntil('the second session', () => existsSync(join(p.home, 'at-b')));
  expect(recordOf(p, 'moved').push).toBe('origin');
  process.kill(recordOf(p, 'moved').owner?.pid ?? 0, 'SIGKILL');
  const tip = (): Promise<string> => p.git('--git-dir', remote, 'rev-parse', 'runner/moved');
  expect(await tip(), 'the first iteration').toBe(await p.git('rev-parse', 'runner/moved'));

  const second = await secondWorker(p, remote);
  await second.git('switch', '-q', 'runner/moved');
  const ended = await second.runWith({ HOME: p.home }, 'loop', '--push', 'origin');
  expect(ended, ended.err).toMatchObject({ code: 0, out: expect.stringContaining('status=complete') });
  const moved = await tip();

  playAgent(p, 'touch "$HOME/paid"; answer done');
  expect(await p.run('run', 'resume', 'moved')).toMatchObject({ code: 0 });
  expect(await waitForEnd(p, 'moved', 'failed')).toMatchObject({ reason: 'PUSH_REJECTED' });
  expect(existsSync(join(p.home, 'paid'))).toBe(false);
  expect(await tip()).toBe(moved);
  await expectNoProcesses(p);
});

test('a remote that is away never stops a run; at the end that is an error', async () => {
  const { p, remote, tipOf } = await worker();
  expect(await p.run('step', '--push', 'nowhere')).toMatchObject({ code: 1 });
  const odd = await p.run('loop', '--push', '--force');
  expect(odd.err).toContain('git.push (--push): must be the name of a remote');

  renameSync(remote, `${remote}.away`);
  const alone = await p.run('loop', '--push', 'origin');
  expect(alone.code).toBe(1);
  expect(alone.out).toContain('iter=3 node=c');
  expect(alone.err).toContain('[PUSH_FAILED]');
  expect(alone.err).toContain('the run goes on, and the next push carries everything');
  expect(p.tree().passes).toBe(true);

  renameSync(`${remote}.away`, remote);
  const hook = join(p.top, '.git/hooks/pre-push');
  writeFileSync(hook, '#!/bin/sh\ntouch "$HOME/hooked"\n', { mode: 0o755 });
  expect(await p.run('loop', '--push', 'origin')).toMatchObject({ code: 0 });
  expect(existsSync(join(p.home, 'hooked'))).toBe(false);
  await p.runWith({ RUNNER_GIT_RUN_HOOKS: 'true', RUNNER_GIT_PUSH: 'origin' }, 'loop');
  expect(existsSync(join(p.home, 'hooked'))).toBe(true);
  expect(await tipOf()).toBe(await p.git('rev-parse', 'HEAD'));
});
