/**
 * Starts one program on files opened beforehand, in its own process group and without any pipe. A program that cannot
 * be started is a value, never an error.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { assert } from '../../core/errors.ts';
import { diskError, errorText } from '../files/disk-error.ts';

export interface ChildSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly onExit: (exit: ChildExit) => void;
}

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export type Started =
  | { readonly kind: 'started'; readonly pid: number }
  | { readonly kind: 'failed'; readonly message: string };

export interface FileNames {
  readonly stdinFile: string | null;
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** Descriptors, open from before the start: what a process does to their names changes nothing. */
export interface ChildFiles {
  readonly stdin: number | null;
  readonly stdout: number;
  /** Null when both streams go to one file. */
  readonly stderr: number | null;
}

export async function startChild(spec: ChildSpec, files: ChildFiles): Promise<Started> {
  const [program, ...args] = spec.argv;
  assert(program !== undefined, 'a command has at least one word');
  try {
    const subprocess = spawn(program, args, {
      cwd: spec.cwd,
      env: spec.env,
      stdio: [files.stdin ?? 'ignore', files.stdout, files.stderr ?? files.stdout],
      detached: true,
    });
    const failed = new Promise<string>((resolve) => {
      subprocess.on('error', (error) => resolve(error.message));
    });
    if (subprocess.pid === undefined) {
      return { kind: 'failed', message: await failed };
    }
    subprocess.once('exit', (exitCode, signal) => {
      spec.onExit({ exitCode, signal });
    });
    return { kind: 'started', pid: subprocess.pid };
  } catch (error) {
    return { kind: 'failed', message: errorText(error) };
  }
}

/** Output is appended; a name that is a link or not a regular file is refused. At once, for waiting takes longer. Throws DISK. */
export function openFiles(names: FileNames): ChildFiles {
  const append = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  const stdout = openFile(names.stdoutFile, append);
  let stderr: number | null = null;
  try {
    stderr = names.stderrFile === names.stdoutFile ? null : openFile(names.stderrFile, append);
    const stdin = names.stdinFile === null ? null : openFile(names.stdinFile, constants.O_RDONLY);
    return { stdin, stdout, stderr };
  } catch (error) {
    closeFiles({ stdin: null, stdout, stderr });
    throw error;
  }
}

export function closeFiles(files: ChildFiles): void {
  for (const fd of [files.stdin, files.stdout, files.stderr]) {
    if (fd !== null) {
      closeSync(fd);
    }
  }
}

function openFile(path: string, flags: number): number {
  try {
    const fd = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
    if (fstatSync(fd).isFile()) {
      return fd;
    }
    closeSync(fd);
    throw new Error('it is not a regular file');
  } catch (cause) {
    throw diskError({ action: 'open', path, cause });
  }
}
