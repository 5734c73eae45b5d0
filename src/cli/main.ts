/** ARGV IN, EXIT CODE OUT: the only catch and the only place that sets the exit code. */
import { resolve } from 'node:path';
import { RunnerError } from '../core/errors.ts';
import { packageVersion } from '../core/shipped.js';
import { errorTable, exitCodes, exitOfSignal } from './exit-codes.ts';
import { printError } from './report.ts';
import type { Settings, Streams } from './streams.ts';

export async function main(): Promise<void> {
  const streams: Streams = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    // Some terminals say that they have no size.
    columns: () => (isTerminal() ? process.stderr.columns || 80 : null),
    rows: () => (isTerminal() ? process.stderr.rows || 24 : null),
    onResize: (listener) => {
      process.stderr.on('resize', listener);
      return () => process.stderr.off('resize', listener);
    },
  };
  process.stdout.on('error', ignoreLostReader);
  process.stderr.on('error', ignoreLostReader);
  const [, entryFile = '', ...argv] = process.argv;
  process.exitCode = await run(argv, { env: process.env, streams, entryFile });
}

/** A reader that left, a closed terminal or a full disk behind a log must not end a run. */
function ignoreLostReader(): void {}

/** A dumb terminal gets plain lines; so does a pipe. */
function isTerminal(): boolean {
  return process.stderr.isTTY && process.env['TERM'] !== 'dumb';
}

/** What a process gives its commands. */
export type Surroundings = Pick<Settings, 'env' | 'streams' | 'entryFile'>;

export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  const { streams } = around;
  const plain = {
    ...around,
    directory: '.',
    json: argv.includes('--json'),
    quiet: false,
    verbose: false,
    noInput: true,
  };
  let directory = resolve('.');
  try {
    if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
      streams.out(`${packageVersion}\n`);
      return exitCodes.ok;
    }
    const { parseCommandLine } = await import('./program.ts');
    const parsed = parseCommandLine(argv, streams);
    if (parsed.kind === 'shown') return exitCodes.ok;
    const { json, quiet, verbose, noInput } = parsed.call;
    directory = resolve(parsed.call.directory);
    const settings = { ...around, directory, json, quiet, verbose, noInput };
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch(settings, parsed.call);
  } catch (error) {
    const known = error instanceof RunnerError ? error : internalError(error);
    await printFailure(argv, { ...plain, directory }, known);
    return known.signal === null ? errorTable[known.code].exit : exitOfSignal(known.signal);
  }
}

/** In the form of stdout that was asked for; the command line itself may be what is wrong, so it is only looked at. */
async function printFailure(argv: readonly string[], plain: Settings, error: RunnerError): Promise<void> {
  const { out } = plain.streams;
  if (argv.includes('--reporter') || argv.includes('--reporter=github')) {
    const { disarmedStreams, renderErrorNote } = await import('./github.ts');
    printError({ ...plain, streams: disarmedStreams(plain.streams) }, error);
    return out(renderErrorNote(error, plain));
  }
  printError(plain, error);
  if (plain.json || !argv.includes('--events')) return;
  const { renderErrorEvent } = await import('./event-stream.ts');
  out(renderErrorEvent(error, new Date().toISOString()));
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
