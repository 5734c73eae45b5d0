/** The error for a failed file operation: path, bytes needed, the system's own words and the command that helps. */
import { dirname } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';

export interface DiskFailure {
  /** What was tried, as a verb: `write`, `remove`, `read`. */
  readonly action: string;
  readonly path: string;
  readonly bytesNeeded?: number;
  readonly cause: unknown;
}

export function diskError(failure: DiskFailure): RunnerError {
  if (failure.cause instanceof RunnerError) return failure.cause;

  const code = errorCode(failure.cause);
  const needed = failure.bytesNeeded === undefined ? '' : ` (${failure.bytesNeeded} bytes needed)`;
  return new RunnerError({
    code: 'DISK',
    message: `cannot ${failure.action} ${failure.path}${needed}: ${errorText(failure.cause)}`,
    hint: diskHint(code, failure.path),
    cause: failure.cause,
  });
}

/** `ENOSPC` and the like, or an empty text when it is not a system error. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function diskHint(code: string, path: string): string {
  const folder = shellWord(dirname(path));
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `free some space, then run the same command again: df -h ${folder}`;
    case 'EFBIG':
      return 'raise the file size limit, then run the same command again: ulimit -f unlimited';
    case 'EACCES':
    case 'EPERM':
      return `make the folder writable for you: ls -ld ${folder}`;
    case 'EROFS':
      return `the file system is mounted read-only: findmnt -T ${folder}`;
    case 'EMFILE':
    case 'ENFILE':
      return 'too many open files: ulimit -n 4096';
    default:
      return `look at the folder and the disk, then run the same command again: ls -la ${folder}`;
  }
}
