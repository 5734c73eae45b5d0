/** `runner log --follow`: what a runner at work does, as it comes, from one iteration to the next, until it is done. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectOutput } from '../support/output-schema.ts';
import type { Project } from '../support/project.ts';
import { project } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';

/** Each iteration says a word that would act on a terminal, and goes on when its file is there. */
async function waiting(): Promise<Project> {
  const p = await project({ agent: shellAgent });
  playAgent(
    p,
    `printf 'working on \\033[2J%s\\n' "$RUNNER_ITER"
    while ! test -e "$HOME/go-$RUNNER_ITER"; do sleep 0.05; done
    printf 'done with %s\\n' "$RUNNER_ITER"
    touch "file-$RUNNER_ITER"
    if test "$RUNNER_ITER" = 1; then answer retry; else answer done; fi`,
  );
  return p;
}

function go(p: Project, iter: number): void {
  writeFileSync(join(p.home, `go-${iter}`), '');
}

function started(p: Project, ...args: readonly string[]) {
  const running = p.start(args);
  onTestFinished(() => {
    running.kill('SIGKILL');
  });
  let text = '';
  running.stdout.on('data', (piece: Buffer) => {
    text += piece.toString('utf8');
  });
  return {
    running,
    shows: (part: string) =>
      waitUntil(`the follower to show '${part}' in: ${text}`, () => text.includes(part)),
  };
}

const atWork = (p: Project, iter: number): Promise<unknown> =>
  waitUntil('the session to be at work', () =>
    existsSync(join(p.dir, `.runner/iterations/test/${iter}/events.jsonl`)),
  );

test('from the middle of one iteration to the end of the run, in plain lines', async () => {
  const p = await waiting();
  const loop = started(p, 'loop');
  await atWork(p, 1);
  const follower = started(p, 'log', '--follow');
  await follower.shows('working on 1');
  const [listed] = (await p.run('log')).out.split('\n');
  expect(listed).toBe('log: run=test iter=1 node=root status=running phase=agent');
  go(p, 1);
  await follower.shows('working on 2');
  go(p, 2);
  const { exitCode, stdout, stderr } = await follower.running;
  await loop.running;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout
    .split('\n')
    .map((line) => line.replace(/\d\d:\d\d:\d\d/, 'T').replace(/ agent_secs=.*/, ''))
    .filter((line) => line !== '  guard …');
  expect(lines).toEqual([
    'iter 1: root',
    '  agent …',
    '  T working on 1',
    '  T done with 1',
    'log: run=test iter=1 node=root mode=execute status=retry guard=skipped',
    'iter 2: root',
    '  agent …',
    '  T working on 2',
    '  T done with 2',
    'log: run=test iter=2 node=root mode=execute status=done guard=pass',
  ]);
});

test('as JSON, from an iteration that is over; nothing is followed where no runner works', async () => {
  const p = await waiting();
  go(p, 1);
  go(p, 2);
  expect((await p.run('loop')).code).toBe(0);
  const ran = await p.run('log', '1', '--follow', '--json');
  expect(ran).toMatchObject({ code: 0, err: '' });
  const values = ran.out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const value of values) expectOutput('log', value);
  expect(values.map(({ event, iter, text }) => [event, iter, text])).toEqual([
    ['begun', 1, undefined],
    ['activity', 1, 'working on 1'],
    ['activity', 1, 'done with 1'],
    ['iteration', 1, undefined],
    ['begun', 2, undefined],
    ['activity', 2, 'working on 2'],
    ['activity', 2, 'done with 2'],
    ['iteration', 2, undefined],
  ]);
  expect((await p.run('log', '--follow')).out.split('\n')[0]).toBe('iter 2: root');
  const unknown = await p.run('log', '--follow', '--node', 'rot');
  expect(unknown).toMatchObject({ code: 1, out: '' });
  expect(unknown.err).toContain('did you mean root? [NODE_UNKNOWN]');
  expect(await p.run('log', '9', '--follow')).toMatchObject({ code: 1, out: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %i, and the runner goes on', async (signal, code) => {
  const p = await waiting();
  const loop = started(p, 'loop');
  await atWork(p, 1);
  const follower = started(p, 'log', '--follow');
  await follower.shows('working on 1');
  follower.running.kill(signal);
  expect((await follower.running).exitCode).toBe(code);
  go(p, 1);
  go(p, 2);
  expect((await loop.running).exitCode).toBe(0);
});

test('a runner that is killed is not waited for', async () => {
  const p = await waiting();
  const loop = started(p, 'loop');
  await atWork(p, 1);
  const follower = started(p, 'log', '--follow');
  await follower.shows('working on 1');
  loop.running.kill('SIGKILL');
  const { exitCode, stdout } = await follower.running;
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').at(-1)).toBe('log: run=test iter=1 node=- status=unfinished phase=-');
  go(p, 1);
  go(p, 2);
  expect((await p.run('step')).err).toContain('recovered iteration 1');
});
