/** Runs a short program by the rules of a session and returns what it printed. Keeps no log and leaves no process. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTail } from '../files/log-cut.ts';
import { makeTempFolder } from '../files/temp-folder.ts';
import { runProcess } from './process.ts';
import type { ProcessSpec } from './process.ts';

export interface CapturedRun extends Pick<ProcessSpec, 'argv' | 'cwd' | 'env' | 'clock' | 'interrupts'> {
  readonly timeoutMs: number;
  /** A program that prints more is ended. */
  readonly bytesMax: number;
}

/** Its stdout; null when it did not exit with 0 in time. */
export async function runCaptured({ timeoutMs, bytesMax, ...run }: CapturedRun): Promise<string | null> {
  const folder = await makeTempFolder('runner-captured-');
  const stdoutFile = join(folder, 'stdout');
  try {
    const { end, exitCode } = await runProcess({
      ...run,
      stdinFile: null,
      stdoutFile,
      stderrFile: join(folder, 'stderr'),
      deadlineMs: run.clock.monotonicMs() + timeoutMs,
      idleTimeoutMs: null,
      diskBytesMax: bytesMax,
      cookie: randomBytes(16).toString('hex'),
    });
    return end === 'exited' && exitCode === 0 ? await loadTail(stdoutFile, bytesMax) : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
