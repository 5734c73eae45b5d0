/** A CLI as it is, without any of the runner's flags, until something has happened. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cleanEnv, repositoryRoot } from '../support/project.ts';
import { waitUntil } from '../support/scratch.ts';
import type { Drive } from './drive.ts';
import { agentProgram } from './install.ts';
import { planted } from './planted.ts';

/** Fails the test when it does not happen. Ends the CLI; what that leaves is ended with the folder. */
export async function runBare(
  { agent, base, dir, home, server }: Drive,
  happened: () => boolean,
): Promise<void> {
  const pointed = agent.point({ url: server.url, home });
  const args = [...planted[agent.name].bare({ model: pointed.model, dir }), ...pointed.args];
  const prompt = path.join(base, 'prompt.md');
  writeFileSync(prompt, 'Make it work.\n');
  const stdin = openSync(prompt, 'r');
  const child = spawn(agentProgram(repositoryRoot, agent), args, {
    cwd: dir,
    env: cleanEnv(home, pointed.env),
    stdio: [stdin, 'ignore', 'ignore'],
  });
  closeSync(stdin);
  const exited = once(child, 'exit');
  await waitUntil('what is planted leaves its traces', happened, 90_000);
  child.kill('SIGKILL');
  await exited;
}
