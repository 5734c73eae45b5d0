/** Programs run to their end for a test, by a small process that does nothing else; see spawner.mjs. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error: string | null;
  /** Without the last line break. */
  readonly stdout: string;
  readonly stderr: string;
}

type Answer = Finished & { readonly id: number };

const waiting = new Map<number, (finished: Finished) => void>();
let spawner: ChildProcess | null = null;
let count = 0;

function open(): ChildProcess {
  const child = fork(fileURLToPath(new URL('spawner.mjs', import.meta.url)), {
    execArgv: [],
    stdio: 'ignore',
  });
  child.on('message', ({ id, ...finished }: Answer) => {
    waiting.get(id)?.({ ...finished, stdout: trimmed(finished.stdout), stderr: trimmed(finished.stderr) });
    waiting.delete(id);
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function trimmed(text: string): string {
  return text.replace(/\r?\n$/, '');
}

export function runProgram(program: Program): Promise<Finished> {
  spawner ??= open();
  const id = (count += 1);
  const finished = new Promise<Finished>((resolve) => {
    waiting.set(id, resolve);
  });
  spawner.send({ id, ...program });
  return finished;
}
