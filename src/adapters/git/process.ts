/** One process of git: started, bounded in time and output, waited for. What it did is a value. */
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { RunnerError, assert } from '../../core/errors.ts';

export interface GitProcess {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer | undefined;
  /** Past this many bytes of output it is stopped; the answer says `cut`. */
  readonly stdoutBytesMax: number;
  readonly timeoutMs: number;
  /** Stops it as the end of its time would. */
  readonly signal?: AbortSignal | undefined;
}

export interface Ended {
  /** Null: ended by a signal, or stopped by us. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly cut: boolean;
  /** Why it was stopped or did not start; null when it ended by itself. */
  readonly reason: string | null;
}

const drainMs = 2000;
/** Between TERM, which lets git remove its lock files, and KILL. */
export const killAfterMs = 2000;

export async function runGit({ program, args, cwd, env, input, ...limits }: GitProcess): Promise<Ended> {
  // Loaded with the first call: what git's files say needs no process.
  const { spawn } = await import('node:child_process');
  const child = spawn(program, args, {
    cwd,
    env,
    // A pipe for nothing would cost as much as the others.
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  assert(child.stdout !== null && child.stderr !== null, 'git answers through pipes');
  let reason: string | null = null;
  let cut = false;
  const timer = setTimeout(() => {
    reason = noEnd(limits.timeoutMs);
    stop(child);
  }, limits.timeoutMs);
  const onTooMuch = (): void => {
    cut = true;
    stop(child);
  };
  limits.signal?.addEventListener('abort', () => stop(child), { once: true });
  const stdout = collect(child.stdout, { limit: limits.stdoutBytesMax, onTooMuch });
  const stderr = collect(child.stderr, { limit: Infinity, onTooMuch });
  // A git that ends before it has read everything closes the pipe; its exit code says what counts.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  const ended = await new Promise<number | Error | null>((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  clearTimeout(timer);
  if (ended instanceof Error) {
    if (!isFolder(cwd)) {
      throw notAFolder(cwd, ended);
    }
    return { code: null, stdout: Buffer.alloc(0), stderr: '', cut, reason: String(ended) };
  }
  await drain([stdout, stderr]);
  return { code: ended, stdout: textIn(stdout), stderr: textIn(stderr).toString('utf8'), cut, reason };
}

export function noEnd(timeoutMs: number): string {
  return `no end after ${timeoutMs / 1000} s`;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function notAFolder(path: string, cause: unknown): RunnerError {
  return new RunnerError({
    code: 'GIT_NOT_A_REPO',
    message: `${path} is not a folder`,
    hint: 'run it in the project folder, or name one with -C <dir>',
    cause,
  });
}

function stop(child: ChildProcess): void {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  child.once('exit', () => clearTimeout(timer));
}

interface Output {
  readonly chunks: Buffer[];
  readonly stream: Readable;
  readonly closed: Promise<unknown>;
}

function collect(
  stream: Readable,
  { limit, onTooMuch }: { readonly limit: number; readonly onTooMuch: () => void },
): Output {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) {
      onTooMuch();
    }
  });
  return { chunks, stream, closed: new Promise((resolve) => stream.once('close', resolve)) };
}

/** All output is in, or somebody else (a filter's own child) holds the pipe and is not waited for. */
async function drain(outputs: readonly Output[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, drainMs);
  });
  await Promise.race([Promise.all(outputs.map((output) => output.closed)), deadline]);
  clearTimeout(timer);
  for (const output of outputs) {
    output.stream.destroy();
  }
}

function textIn({ chunks }: Output): Buffer {
  return Buffer.concat(chunks);
}
