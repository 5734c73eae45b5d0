/** The files a program reads and writes instead of pipes, opened before it starts. */
import { closeSync, constants, fstatSync, openSync, unlinkSync } from 'node:fs';
import { diskError } from '../files/disk-error.ts';

export interface FileNames {
  /** Gone as soon as it is open. */
  readonly stdinFile: string | null;
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** Descriptors, open from before the start: what a process does to their names changes nothing. */
export interface OutputFiles {
  readonly stdin: number | null;
  readonly stdout: number;
  /** Null when both streams go to one file. */
  readonly stderr: number | null;
}

/** Output is appended; a name that is a link or not a regular file of its own is refused. Throws DISK. */
export function openFiles(names: FileNames): OutputFiles {
  const append = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  const stdout = openFile(names.stdoutFile, append);
  let stderr: number | null = null;
  try {
    stderr = names.stderrFile === names.stdoutFile ? null : openFile(names.stderrFile, append);
    const stdin = names.stdinFile === null ? null : openInput(names.stdinFile);
    return { stdin, stdout, stderr };
  } catch (error) {
    closeFiles({ stdin: null, stdout, stderr });
    throw error;
  }
}

/** Its name goes at once: through /proc its reader could open it again and write to it, from a sandbox, too. Throws DISK. */
export function openInput(path: string): number {
  const fd = openFile(path, constants.O_RDONLY);
  try {
    unlinkSync(path);
    return fd;
  } catch (cause) {
    closeSync(fd);
    throw diskError({ action: 'remove', path, cause });
  }
}

export function closeFiles(files: OutputFiles): void {
  for (const fd of [files.stdin, files.stdout, files.stderr]) if (fd !== null) closeSync(fd);
}

function openFile(path: string, flags: number): number {
  try {
    const fd = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644);
    const found = fstatSync(fd);
    if (found.isFile() && found.nlink === 1) return fd;

    closeSync(fd);
    throw new Error(found.isFile() ? 'it has a second hard link' : 'it is not a regular file');
  } catch (cause) {
    throw diskError({ action: 'open', path, cause });
  }
}
