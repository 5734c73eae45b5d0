/** §13.7, §13.8 without an engine: what is told when docker or the image is missing, and settings by further names of variables. */
import { expect, test } from 'vitest';
import { unstartedProject } from '../support/project.ts';
import { pathOf, refused } from '../support/refusals.ts';
import { fakeProgram } from '../support/shell-agent.ts';

test('a sandbox that cannot be had is refused by start, and told by doctor', async () => {
  const p = await unstartedProject({ agent: 'name = "command"\ncommand = ["true"]' });
  const executor = { RUNNER_EXECUTOR: 'docker' };
  const noDocker = { ...executor, PATH: pathOf(p, ['git', 'sh', 'true']) };
  expect(await refused(p, ['start'], noDocker)).toMatchObject({
    code: 'SANDBOX_MISSING',
    message: 'the program docker was not found',
    hint: 'install docker, or go without: runner config set sandbox.kind none',
  });
  expect((await p.runWith(noDocker, 'doctor')).out).toContain('the program docker was not found');

  const deaf = { ...executor, ...fakeProgram(p, 'docker', 'echo "no daemon" >&2; exit 1') };
  expect((await refused(p, ['start'], deaf)).message).toBe('docker does not answer: no daemon');

  const bare = { ...executor, ...fakeProgram(p, 'docker', '[ "$1" = info ] && echo "[]"') };
  expect(await refused(p, ['start'], bare)).toMatchObject({
    message: "docker has no image 'runner'",
    hint: expect.stringContaining('docker build -f packaging/docker/Dockerfile -t runner .') as string,
  });
  const other = { ...bare, RUNNER_SANDBOX_IMAGE: 'mine:1' };
  expect((await refused(p, ['start'], other)).hint).toContain('docker pull mine:1');
  const gone = { ...bare, RUNNER_SANDBOX_READ: '["~/nowhere"]' };
  expect((await refused(p, ['start'], gone)).message).toContain(`sandbox.read names ${p.home}/nowhere`);
});

test('variables of the runner that came before mean our settings; two that differ are refused', async () => {
  const p = await unstartedProject();
  const env = { RUN_LOOP_EXECUTOR: 'docker', RUN_LOOP_AGENT: 'claude', RUN_LOOP_AGENT_EXTRA_ARGS: '--a b' };
  const { out } = await p.runWith(env, 'config', 'list', '--show-origin');
  for (const line of [
    'sandbox.kind="docker" origin=env:RUN_LOOP_EXECUTOR',
    'agent.name="claude" origin=env:RUN_LOOP_AGENT',
    'agent.extra_args=["--a","b"] origin=env:RUN_LOOP_AGENT_EXTRA_ARGS',
  ])
    expect(out.split('\n')).toContain(line);
  const differing = { RUNNER_EXECUTOR: 'local', RUN_LOOP_EXECUTOR: 'docker' };
  const { message } = await refused(p, ['validate'], differing);
  expect(message).toContain('RUNNER_EXECUTOR, RUN_LOOP_EXECUTOR');
});
