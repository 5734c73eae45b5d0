/**
 * A small shell that starts git for us, one call after the other. Whoever starts a program has its page tables copied, and those of Node
 * are large: a shell is much quicker, and we go on meanwhile. It ends with this process, whose pipe it reads its lines from.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import { killAfterMs, noEnd } from './process.ts';
import type { Ended, GitProcess } from './process.ts';
import { randomName } from '../files/stage.ts';

/** `env` comes beside that of the shell. */
export type ShellCall = Omit<GitProcess, 'input'>;

/** Null: the shell or the program cannot be started, and nothing was done. */
export type RunInShell = (call: ShellCall) => Promise<Ended | null>;

/** What a shell makes of a signal; git itself ends with 129 at most. */
const firstSignalCode = 130;
/** What it says of a program that it cannot start. */
const notStarted = [126, 127];

/** Calls at the same time have a shell each. `env`: the whole environment but for what a call adds. */
export function shellPool(env: Readonly<Record<string, string>>, program = '/bin/sh'): RunInShell {
  const idle: Shell[] = [];
  return async (call) => {
    let shell = idle.pop();
    while (shell?.isAlive() === false) {
      shell = idle.pop();
    }
    shell ??= startShell(program, env);
    if (!shell.isAlive()) {
      return null;
    }
    const ended = await runCall(shell, call);
    idle.push(shell);
    return ended.code !== null && notStarted.includes(ended.code) ? null : ended;
  };
}

/** Their groups are their own: nobody else would end them. */
const atWork = new Set<ChildProcessWithoutNullStreams>();
process.once('exit', () => atWork.forEach((child) => signalGroup(child, 'SIGTERM')));

interface Shell {
  readonly child: ChildProcessWithoutNullStreams;
  readonly isAlive: () => boolean;
  readonly gone: Promise<void>;
}

function startShell(program: string, env: Readonly<Record<string, string>>): Shell {
  // A group of its own: a Ctrl-C in the terminal is for us, and what git started can be ended with it.
  const child = spawn(program, ['-s'], { cwd: '/', env, stdio: 'pipe', detached: true });
  let isAlive = child.pid !== undefined;
  const gone = new Promise<void>((resolve) => {
    const end = (): void => {
      isAlive = false;
      resolve();
    };
    child.once('error', end);
    child.once('exit', end);
  });
  // One that has ended takes no line; that is seen by its end.
  child.stdin.on('error', () => {});
  // TERM is for git alone; a program that is started gets the signal's usual meaning back.
  child.stdin.write('trap : TERM\n');
  // Alone it keeps nobody from ending.
  [child, ...[child.stdin, child.stdout, child.stderr].map((pipe) => pipe as unknown as Socket)].forEach(
    (one) => one.unref(),
  );
  return { child, isAlive: () => isAlive, gone };
}

async function runCall({ child, gone }: Shell, call: ShellCall): Promise<Ended> {
  const mark = randomName();
  let reason: string | null = null;
  let cut = false;
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child, 'SIGTERM');
    killer ??= setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  };
  const timer = setTimeout(() => {
    reason = noEnd(call.timeoutMs);
    stop();
  }, call.timeoutMs);
  const limit = call.stdoutBytesMax;
  const onTooMuch = (): void => {
    cut = true;
    stop();
  };
  const out = readBetween(child.stdout, { mark, limit, onTooMuch });
  const err = readBetween(child.stderr, { mark, limit: Infinity, onTooMuch });
  // Until it has answered this process must not end; when it is made to, its git ends, too.
  child.ref();
  atWork.add(child);
  call.signal?.addEventListener('abort', stop, { once: true });
  child.stdin.write(lineOf(call, mark));
  await Promise.race([Promise.all([out.whole, err.whole]), gone]);
  call.signal?.removeEventListener('abort', stop);
  child.unref();
  atWork.delete(child);
  clearTimeout(timer);
  clearTimeout(killer);
  const { code, bytes } = out.end();
  const stderr = err.end().bytes.toString('utf8');
  if (code === null) {
    // The shell died: what it had started must not go on beside the next try.
    signalGroup(child, 'SIGKILL');
  }
  const isSignal = code === null || code >= firstSignalCode;
  return { code: isSignal ? null : code, stdout: bytes, stderr, cut: cut || bytes.length > limit, reason };
}

/** On either stream marks stand before and behind the output; on stdout with the exit code. */
function lineOf({ program, args, cwd, env }: ShellCall, mark: string): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  const command = [...variables, ...[program, ...args].map(quote)].join(' ');
  const print = (words: string): string => `printf '${words}' ${mark}`;
  const begin = `${print(String.raw`%s<\n`)}; ${print(String.raw`%s<\n`)} >&2`;
  const end = `${print(String.raw`\n%s>%03d\n`)} "$?"; ${print(String.raw`\n%s>000\n`)} >&2`;
  return `${begin}; cd ${quote(cwd)} && ${command} </dev/null; ${end}\n`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

interface Read {
  readonly code: number | null;
  readonly bytes: Buffer;
}

interface Reading {
  readonly mark: string;
  readonly limit: number;
  readonly onTooMuch: () => void;
}

/** What comes before the first mark or behind the second is of a process that a former call left behind. */
function readBetween(
  stream: ChildProcessWithoutNullStreams['stdout'],
  { mark, limit, onTooMuch }: Reading,
): { readonly whole: Promise<void>; readonly end: () => Read } {
  const [first, last] = [Buffer.from(`${mark}<\n`), Buffer.from(`\n${mark}>`)];
  const lastBytes = last.length + '000\n'.length;
  const chunks: Buffer[] = [];
  let [hasBegun, count] = [false, 0];
  let rest: Buffer = Buffer.alloc(0);
  let code: number | null = null;
  let onWhole = (): void => {};
  const whole = new Promise<void>((resolve) => {
    onWhole = resolve;
  });
  /** All but the last bytes, which may be the beginning of a mark. */
  const hand = (bytes: Buffer, kept: number): void => {
    const end = Math.max(0, bytes.length - kept);
    rest = bytes.subarray(end);
    if (hasBegun) {
      chunks.push(bytes.subarray(0, end));
      count += end;
    }
  };
  const take = (chunk: Buffer): void => {
    if (code !== null) {
      return;
    }
    let bytes = Buffer.concat([rest, chunk]);
    if (!hasBegun) {
      const at = bytes.indexOf(first);
      if (at === -1) {
        return hand(bytes, first.length - 1);
      }
      hasBegun = true;
      bytes = bytes.subarray(at + first.length);
    }
    const at = bytes.indexOf(last);
    if (at === -1 || bytes.length < at + lastBytes) {
      hand(bytes, lastBytes - 1);
      return count > limit ? onTooMuch() : undefined;
    }
    code = Number(bytes.toString('latin1', at + last.length, at + lastBytes - 1));
    hand(bytes.subarray(0, at), 0);
    onWhole();
  };
  stream.on('data', take);
  return {
    whole,
    end: () => {
      stream.off('data', take);
      if (code === null) {
        hand(rest, 0);
      }
      return { code, bytes: Buffer.concat(chunks) };
    },
  };
}

/** Also what git has started. */
function signalGroup({ pid }: ChildProcessWithoutNullStreams, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, signal);
    }
  } catch {
    // Nobody is left.
  }
}
