/** Connects the process to the program: streams, argv and the exit code. Loads almost nothing, so that `--version` is fast. */
import { flushOutput, lostOutput, sendOut, writeOut } from '../adapters/files/standard-output.ts';
import { packageVersion } from '../core/version.js';
import type { Surroundings } from './run.ts';
import type { Streams } from './output/streams.ts';

/** `entryFile`: null in the one executable file, which is its own program. */
export async function main(entryFile: string | null = process.argv[1] ?? ''): Promise<void> {
  // Without a listener Node opens a debugger on this signal, and any process of the user could then steer the runner (§14).
  process.on('SIGUSR1', () => undefined);
  const argv = process.argv.slice(2);
  // In a trial of an eval the process list must not lead an agent to the cases that ship beside the program.
  if (process.env['RUNNER_EVAL_BATCH'] !== undefined) process.title = 'runner';
  const streams: Streams = {
    out: (text) => writeOut(1, text),
    err: (text) => writeOut(2, text),
    columns: () => columnsOf(process.stderr),
    rows: () => (isTerminal(process.stderr) ? process.stderr.rows || 24 : null),
    onResize: (listener) => {
      process.stderr.on('resize', listener);
      return () => process.stderr.off('resize', listener);
    },
    outColumns: () => columnsOf(process.stdout),
    send: sendOut,
  };
  // Ending without an exit code is a failure.
  process.once('exit', () => (process.exitCode ??= 1));
  const answer = await execute(argv, { env: process.env, streams, entryFile });
  await flushOutput();
  const code = withOutput(answer, streams);
  // A library's idle timer must not keep the user waiting.
  // oxlint-disable-next-line unicorn/no-process-exit
  process.exit(code);
}

async function execute(argv: readonly string[], around: Surroundings): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    around.streams.out(`${packageVersion}\n`);
    return 0;
  }
  const { run } = await import('./run.ts');
  return run(argv, around);
}

/** Lost output makes the exit code a failure, although the command's work stays done. */
function withOutput(code: number, { err }: Streams): number {
  const lost = code === 0 ? lostOutput() : null;
  if (lost === null) return code;
  err(`error: stdout could not be written: ${lost} [DISK]\n`);
  err('hint: free some space, then run the same command again\n');
  return 1;
}

/** A dumb terminal gets plain lines; so does a pipe. */
function isTerminal(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env['TERM'] !== 'dumb';
}

/** Some terminals report a size of 0. */
function columnsOf(stream: NodeJS.WriteStream): number | null {
  return isTerminal(stream) ? stream.columns || 80 : null;
}
