/**
 * Named points at which a test may kill this process (§1 promise 5). It does nothing unless one of its two environment
 * variables is set, and must never be used to change behaviour.
 */
import { appendFileSync } from 'node:fs';
import { RunnerError } from '../../core/errors.ts';

const logFile = process.env['RUNNER_FAILPOINT_LOG'];
const killAt = process.env['RUNNER_FAILPOINT'];
let hits = 0;

/** `RUNNER_FAILPOINT_LOG` gets a line for every hit; at hit number `RUNNER_FAILPOINT` (from 1) the process dies by SIGKILL. */
export function failpoint(name: string): void {
  if (logFile === undefined && killAt === undefined) return;

  hits += 1;
  if (logFile !== undefined) appendFileSync(logFile, `${name}\n`);

  if (killAt !== undefined && hits === parseHit(killAt)) {
    process.kill(process.pid, 'SIGKILL');
    // The signal may arrive a moment later: nothing after this line may run.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

/** A mistyped number would make a crash test pass without any crash, so it is an error. */
function parseHit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new RunnerError({
      code: 'USAGE',
      message: `RUNNER_FAILPOINT is "${text}", not a whole number from 1`,
      hint: 'unset RUNNER_FAILPOINT',
    });
  }
  return Number(text);
}
