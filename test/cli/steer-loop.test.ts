/** A person reaches a loop at work (§12): changes of the tree wait for the next iteration, and a pause ends it cleanly. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { walkTree } from '../../src/core/tree/tree-walk.ts';
import { claudeLimited, playFake } from '../support/fake-agent.ts';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** Says that it is at work, and goes on when it is told to. */
const patient = `touch "$HOME/in.$RUNNER_ITER"
until [ -e "$HOME/out.$RUNNER_ITER" ]; do sleep 0.05; done
echo "$RUNNER_ITER" > work.txt
answer done`;

function queueOf(p: Project): readonly string[] {
  const folder = join(p.top, '.git/runner/queue');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
}

const inIteration = (p: Project, iter: number): Promise<true> =>
  waitUntil(`iteration ${iter}`, () => existsSync(join(p.home, `in.${iter}`)));
const release = (p: Project, iter: number): void => writeFileSync(join(p.home, `out.${iter}`), '');

test('changes wait for the next iteration, each in a commit of its own; a pause stops the loop after it', async () => {
  const p = await project({
    agent: shellAgent,
    tree: node('root', { children: [node('a'), node('b', { order: 1 }), node('c', { order: 2 })] }),
  });
  playAgent(p, patient);
  const loop = p.start(['loop']);
  onTestFinished(() => void loop.kill('SIGKILL'));
  await inIteration(p, 1);

  const added = await p.run('add', 'root', '--title', 'Late', '--before', 'b', '--json');
  expect(added, added.err).toMatchObject({ code: 0 });
  expect(added.err).toContain('waits and is applied before the next iteration');
  const { entry } = JSON.parse(added.out) as { readonly entry: string };
  expectOutput('add', JSON.parse(added.out));
  const [kept = ''] = queueOf(p);
  const forged = readFileSync(join(p.top, '.git/runner/queue', kept), 'utf8');
  // The second stands on the first, which is not in the tree yet.
  expect((await p.run('move', 'root.1', '--after', 'b')).out).toContain('status=queued');
  expect((await p.run('edit', 'a', '--title', 'Too late')).out).toContain('edit: run=test status=queued');
  expect((await p.run('drop', 'c', '--why', 'done elsewhere')).out).toContain('status=queued');
  expect(await p.run('drop', 'nobody', '--why', 'x')).toMatchObject({ code: 1 });
  writeFileSync(join(p.top, '.git/runner/queue/000-forged.json'), '{"edit": "passes"}\n');
  for (const args of [
    ['retry', 'b'],
    ['answer', '1.1', 'yes'],
    ['config', 'set', 'max_iterations', '9'],
  ]) {
    const refused = await p.run(...args);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/\[LOCKED\]\nhint: runner pause --wait$/u);
  }
  const status = await p.run('status', '--json');
  expectOutput('status', JSON.parse(status.out));
  expect(JSON.parse(status.out)).toMatchObject({
    changes: [{ change: 'add below root: Late', refused: null }, {}, {}, {}],
  });
  expect(await p.git('rev-list', '--count', 'HEAD')).toBe('3');

  release(p, 1);
  await inIteration(p, 2);
  expect(queueOf(p)).toEqual([]);
  expect((await p.subjects()).slice(0, 4)).toEqual([
    'chore(loop): drop c',
    'chore(loop): move root.1',
    'chore(loop): add root.1',
    'chore(loop): run test iter 1 node a status=done guard=pass',
  ]);
  expect(await p.git('log', '-1', '--format=%B', 'HEAD~2')).toContain(`Runner-Entry: ${entry}`);
  expect((await p.run('status')).out).toMatch(
    /status: change=refused what=edit_a reason=root\/a_has_passed/u,
  );

  const pausing = p.start(['pause', '--wait']);
  await waitUntil('the pause is asked for', () => existsSync(join(p.top, '.git/runner/pause')));
  expect((await p.run('status')).out).toMatch(
    /state=working .* pausing=true reason=iteration_2:\S+;_it_pauses_after_this_iteration /u,
  );
  release(p, 2);
  const ended = await loop;
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stdout).toMatch(/\nloop: status=paused run=test steps=2 started_at_iter=1$/u);
  expect(ended.stderr).toContain('queued change (edit a) does not apply any more: root/a has passed');
  expect(ended.stderr).toContain('was moved aside');
  expect((await pausing).stdout).toBe('pause: run=test status=paused');
  expect(await p.status()).toBe('');

  // A crash between the commit and the end of the entry: it is known by its id.
  writeFileSync(join(p.top, '.git/runner/queue', kept), forged);
  release(p, 3);
  const rest = await p.run('loop');
  expect(rest.out).toContain('loop: status=complete run=test steps=1');
  expect(rest.err).toContain('is on the branch already');
  expect(walkTree(p.tree()).map((visit) => visit.path)).toEqual(['root', 'root/a', 'root/b', 'root/root.1']);
  expect(JSON.parse((await p.run('pause', '--json')).out)).toEqual({
    command: 'pause',
    run_id: 'test',
    status: 'idle',
  });
  expect(await p.run('pause', 'nobody')).toMatchObject({ code: 64 });
  // A run in the background is found by its record.
  await p.git('worktree', 'add', '-q', '-b', 'runner/other', '../other');
  const record = {
    version: 1,
    run_id: 'other',
    status: 'running',
    branch: 'runner/other',
    base_commit: await p.git('rev-parse', 'HEAD'),
    worktree: join(p.base, 'other'),
    started_at: '',
    updated_at: '',
  };
  mkdirSync(join(p.top, '.git/runner/runs'), { recursive: true });
  writeFileSync(join(p.top, '.git/runner/runs/other.json'), JSON.stringify(record));
  expect((await p.run('pause', 'other')).out).toBe('pause: run=other status=idle');
});

test.each([
  ['nothing was written: no iteration is used up', '', 0],
  ['work so far is committed', 'echo 1 > work.txt; ', 1],
])('a pause ends a wait for a rate limit at once; %s', async (_what, work, steps) => {
  const p = await project({ agent: 'name = "claude"', tree: node('root', { children: [node('a')] }) });
  const limited = `${work}touch "$HOME/in.1"; ${claudeLimited(3600)}`;
  const path = playFake(p, 'claude', { agent: [limited] });
  const loop = p.start(['loop', '--json'], path);
  onTestFinished(() => void loop.kill('SIGKILL'));
  await inIteration(p, 1);
  expect((await p.run('pause', '--wait')).out).toBe('pause: run=test status=paused');
  const ended = await loop;
  expect(ended.exitCode, ended.stderr).toBe(0);
  const lines = ended.stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const line of lines) expectOutput('loop', line);
  expect(lines.at(-1)).toMatchObject({ status: 'paused', steps });
  expect(await p.status()).toBe('');
  expect(p.tree().children[0]).toMatchObject({ attempts: 0, passes: false });
  expect(p.runState().next_iter).toBe(steps + 1);
  rmSync(join(p.top, '.git/runner/pause'), { force: true });
});
