/** ARGV IN, EXIT CODE OUT: the only catch. */
import { resolve } from 'node:path';
import { RunnerError } from '../core/errors.ts';
import { dispatch } from './dispatch.ts';
import { errorTable, exitCodes, exitOfSignal } from './exit-codes.ts';
import type { Parsed } from './program.ts';
import { readCommandLine } from './quick-line.ts';
import type { Settings, Streams } from './streams.ts';

/** What a process gives its commands. */
export type Surroundings = Pick<Settings, 'env' | 'streams' | 'entryFile'>;

export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  const plain = { ...around, directory: '.', json: argv.includes('--json'), quiet: false, verbose: false };
  try {
    const parsed = await parse(argv, around.streams);
    if (parsed.kind === 'shown') return exitCodes.ok;
    const { json, quiet, verbose, directory } = parsed.call;
    return await dispatch({ ...around, directory: resolve(directory), json, quiet, verbose }, parsed.call);
  } catch (error) {
    const known = error instanceof RunnerError ? error : internalError(error);
    const { printError } = await import('./report.ts');
    printError(plain, known);
    return known.signal === null ? errorTable[known.code].exit : exitOfSignal(known.signal);
  }
}

async function parse(argv: readonly string[], streams: Streams): Promise<Parsed> {
  const call = readCommandLine(argv);
  if (call !== null) return { kind: 'call', call };
  return (await import('./program.ts')).parseCommandLine(argv, streams);
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
