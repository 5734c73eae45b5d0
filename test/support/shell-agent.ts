/**
 * An agent and a guard that are shell scripts in the private home folder, outside the work tree: a test rewrites them between two
 * commands. Also the fake agent programs, and a look at whether a process is still there.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Home {
  readonly home: string;
}

export const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

/** For `agent` and `guard` of a project. */
export const shellAgent = `name = "command"\ncommand = ['sh', '-c', 'exec sh "$HOME/agent.sh"']`;
export const shellGuard = ['sh', '-c', 'exec sh "$HOME/guard.sh"'];

/** Waits until the test writes `go` into the private home folder, or the folder is gone. */
export const shellWait = 'while [ -d "$HOME" ] && [ ! -e "$HOME/go" ]; do sleep 0.05; done';

/** `answer <status> [summary]` is at hand; what fails ends the script. */
const agentWords = `set -e
answer() { printf '{"status":"%s","summary":"%s","children":null}\\n' "$1" "\${2:-said $1}" > "$RUNNER_OUTPUT"; }
`;

export function playAgent({ home }: Home, script: string): void {
  writeFileSync(join(home, 'agent.sh'), `${agentWords}${script}\n`);
}

export function playGuard({ home }: Home, script: string): void {
  writeFileSync(join(home, 'guard.sh'), `${script}\n`);
}

/** Puts a program of this name first on the PATH that is returned. */
export function fakeProgram({ home }: Home, name: string, script: string): Record<string, string> {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

/** Process ids that a script wrote, one a line. */
export function pidsIn(file: string): readonly number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

/** A process that has ended and was not yet asked about is not alive. */
export function isAlive(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /su, '')[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
