/**
 * Runs one program of a trial with its output in files and keeps a log of bounded size. The program is never blocked by its
 * output, and none of its processes is left when this returns.
 */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { secretValues } from '../../adapters/agents/secret-values.ts';
import { ensureDir } from '../../adapters/files/files.ts';
import { lineReader } from '../../adapters/files/line-reader.ts';
import { composeLog, loadTail } from '../../adapters/files/log-cut.ts';
import { runProcess } from '../../adapters/processes/process.ts';
import type { ProcessResult } from '../../adapters/processes/process.ts';
import { redactor } from '../../core/text/redact.ts';
import type { Clock, Interrupts } from '../../ports/sessions.ts';

const tailBytes = 64 * 1024;

export interface LoggedRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Replaced by what was printed, head and tail of it. */
  readonly log: string;
  /** Where the raw output lies until it is in the log: a place that the program may know. */
  readonly outputDir: string;
  /** Trusted folder above the log. */
  readonly root: string;
  readonly logBytesMax: number;
  /** Past this the program is ended. */
  readonly diskBytesMax: number;
  readonly deadlineMs: number;
  /** From the start; null: only the deadline counts. */
  readonly timeoutMs: number | null;
  readonly graceMs: number;
  readonly cookie: string;
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  /** Both streams in the order they were printed; else stderr follows stdout. */
  readonly isOneStream: boolean;
  readonly onLine?: (line: string) => void;
  /** What it reads; missing: nothing. */
  readonly stdinFile?: string;
}

export interface LoggedResult extends ProcessResult {
  /** The last lines of stdout. */
  readonly tail: string;
  /** The last lines of stderr; those of stdout where both are one. */
  readonly errorTail: string;
}

export async function runLogged(run: LoggedRun): Promise<LoggedResult> {
  const raw = join(run.outputDir, basename(run.log));
  const stdoutFile = `${raw}.stdout`;
  const stderrFile = run.isOneStream ? stdoutFile : `${raw}.stderr`;
  await ensureDir(dirname(run.log), { root: run.root });
  try {
    const result = await runProcess({
      argv: run.argv,
      cwd: run.cwd,
      env: run.env,
      stdinFile: run.stdinFile ?? null,
      stdoutFile,
      stderrFile,
      deadlineMs: run.deadlineMs,
      softTimeoutMs: run.timeoutMs,
      idleTimeoutMs: null,
      diskBytesMax: run.diskBytesMax,
      cookie: run.cookie,
      graceMs: run.graceMs,
      clock: run.clock,
      interrupts: run.interrupts,
      ...(run.onLine === undefined ? {} : { onChunk: lineReader(run.onLine) }),
    });
    const secrets = redactor(secretValues(run.env));
    const tail = await loadTail(stdoutFile, tailBytes);
    const errorTail = await loadTail(stderrFile, tailBytes);
    await composeLog({
      stdout: stdoutFile,
      stderr: run.isOneStream ? null : stderrFile,
      target: run.log,
      root: run.root,
      bytesMax: run.logBytesMax,
      redactor: secrets,
      isDurable: false,
    });
    return { ...result, tail: secrets.redact(tail), errorTail: secrets.redact(errorTail) };
  } finally {
    await rm(stdoutFile, { force: true });
    await rm(stderrFile, { force: true });
  }
}
