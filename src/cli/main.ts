/** ARGV IN, EXIT CODE OUT: the only catch and the only place that sets the exit code. */
import { resolve } from 'node:path';
import { RunnerError } from '../core/errors.ts';
import { packageVersion } from '../core/shipped.js';
import { errorTable, exitCodes, exitOfSignal } from './exit-codes.ts';
import { printError } from './report.ts';
import type { Settings, Streams } from './streams.ts';

/** `entryFile`: null in the one executable file, which is its own program. */
export async function main(entryFile: string | null = process.argv[1] ?? ''): Promise<void> {
  const streams: Streams = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    columns: () => terminalColumns(),
  };
  process.stdout.on('error', ignoreLostReader);
  process.stderr.on('error', ignoreLostReader);
  process.exitCode = await run(process.argv.slice(2), { env: process.env, streams, entryFile });
}

/** A reader that left, a closed terminal or a full disk behind a log must not end a run. */
function ignoreLostReader(): void {}

/** A dumb terminal gets plain lines; so does a pipe. */
function terminalColumns(): number | null {
  if (!process.stderr.isTTY || process.env['TERM'] === 'dumb') return null;
  return process.stderr.columns;
}

/** What a process gives its commands. */
export type Surroundings = Pick<Settings, 'env' | 'streams' | 'entryFile'>;

export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  const { streams } = around;
  const plain = { ...around, directory: '.', json: argv.includes('--json'), quiet: false, verbose: false };
  try {
    if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
      streams.out(`${packageVersion}\n`);
      return exitCodes.ok;
    }
    const { parseCommandLine } = await import('./program.ts');
    const parsed = parseCommandLine(argv, streams);
    if (parsed.kind === 'shown') return exitCodes.ok;
    const { json, quiet, verbose, directory } = parsed.call;
    const settings = { ...around, directory: resolve(directory), json, quiet, verbose };
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch(settings, parsed.call);
  } catch (error) {
    const known = error instanceof RunnerError ? error : internalError(error);
    printError(plain, known);
    return known.signal === null ? errorTable[known.code].exit : exitOfSignal(known.signal);
  }
}

function internalError(error: unknown): RunnerError {
  return new RunnerError({
    code: 'INTERNAL',
    message: error instanceof Error ? error.message : String(error),
    details: error instanceof Error ? (error.stack ?? '').split('\n').slice(1) : [],
    hint: 'this is a defect of runner; please report it with the text above',
    cause: error,
  });
}
