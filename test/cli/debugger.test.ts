/** SIGUSR1 makes Node open a debugger; sent by a session, it opens none in the runner. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { cleanEnv, project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

/** What Node says when it opens one, or finds its port taken. */
const debuggerLine = /Debugger listening|Starting inspector/;

test('a plain Node process opens one: the signal works here', async () => {
  const waiting = execa(process.execPath, ['-e', 'process.stdout.write("up");setInterval(() => {}, 1e6)'], {
    env: cleanEnv('/nowhere'),
    extendEnv: false,
    reject: false,
  });
  await new Promise((resolve) => waiting.stdout.once('data', resolve));
  waiting.kill('SIGUSR1');
  let told = '';
  for await (const chunk of waiting.stderr) {
    told += String(chunk);
    if (debuggerLine.test(told)) break;
  }
  waiting.kill('SIGKILL');
  await waiting;
  expect(told).toMatch(debuggerLine);
});

test('agent and guard signal the runner: no debugger, and the iteration goes on', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playAgent(p, 'kill -USR1 "$PPID"; echo work > work.txt; kill -USR1 "$PPID"; answer done');
  // The inspector would be a socket that the runner listens on.
  playGuard(p, 'kill -USR1 "$PPID"; ls -l "/proc/$PPID/fd" > "$HOME/fds"; cp /proc/net/tcp "$HOME/tcp"');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.out).toContain('guard=pass');
  expect(ran.err).not.toMatch(debuggerLine);
  const sockets = [...p.read('../home/fds').matchAll(/socket:\[(\d+)\]/g)].map((match) => match[1] ?? '');
  const listening = p
    .read('../home/tcp')
    .split('\n')
    .filter((line) => / 0A /.test(line) && sockets.some((inode) => line.includes(` ${inode} `)));
  expect(listening).toEqual([]);
});
