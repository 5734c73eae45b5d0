/** ARGV IN, EXIT CODE OUT: the only catch. */
import { resolve } from 'node:path';
import { RunnerError } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import { dispatch } from './dispatch.ts';
import { errorTable, exitCodes, exitOfSignal } from './exit-codes.ts';
import type { ConfigFlag } from '../core/config/config-layers.ts';
import { parseCommandLine } from './program.ts';
import type { Settings } from './output/streams.ts';

/** What a process gives its commands. */
export type Surroundings = Pick<Settings, 'env' | 'streams' | 'entryFile'>;

export async function run(argv: readonly string[], around: Surroundings): Promise<number> {
  const flags = { json: argv.includes('--json'), quiet: false, verbose: false, noInput: true };
  let directory = resolve('.');
  let overrides: readonly ConfigFlag[] = [];
  try {
    const parsed = parseCommandLine(argv, around.streams);
    if (parsed.kind === 'shown') return exitCodes.ok;
    const { json, quiet, verbose, noInput } = parsed.call;
    overrides = parsed.call.overrides;
    directory = resolve(parsed.call.directory);
    return await dispatch({ ...around, directory, json, quiet, verbose, noInput }, parsed.call);
  } catch (error) {
    const thrown = error instanceof RunnerError ? error : internalError(error);
    const known = await fitSetting(around, overrides, await leadToRun(around, directory, thrown));
    await printFailure(argv, { ...around, ...flags, directory }, known);
    return known.signal === null ? errorTable[known.code].exit : exitOfSignal(known.signal);
  }
}

/** In the form of stdout that was asked for; the command line itself may be what is wrong, so it is only looked at. */
async function printFailure(argv: readonly string[], plain: Settings, error: RunnerError): Promise<void> {
  const { out } = plain.streams;
  const { printError } = await import('./output/report.ts');
  // The reporters of `eval` have other names.
  if (argv.includes('--reporter=github') || argv[argv.indexOf('--reporter') + 1] === 'github') {
    const { disarmedStreams, renderErrorNote } = await import('./output/github.ts');
    printError({ ...plain, streams: disarmedStreams(plain.streams) }, error);
    return out(renderErrorNote(error, plain));
  }
  printError(plain, error);
  if (plain.json || !argv.includes('--events')) return;
  const { renderErrorEvent } = await import('./output/event-stream.ts');
  out(renderErrorEvent(error, new Date().toISOString()));
}

const mayBeElsewhere: ReadonlySet<ErrorCode> = new Set([
  'LAYOUT_MISSING',
  'GIT_PROTECTED_BRANCH',
  'RUN_NOT_STARTED',
]);

/** Files that a merge may have filled with conflict markers. */
const mayBeMerged: ReadonlySet<ErrorCode> = new Set([
  'CONFIG_INVALID',
  'GOAL_INVALID',
  'RUN_STATE_INVALID',
  'TREE_INVALID',
]);

/** A layout or run that is missing may only be on another branch, a broken file only half merged; that is looked for only then. */
async function leadToRun({ env }: Surroundings, directory: string, error: RunnerError): Promise<RunnerError> {
  if (mayBeMerged.has(error.code))
    return (await import('./merge-conflict.ts')).withConflict({ directory, env }, error);
  if (!mayBeElsewhere.has(error.code)) return error;
  return (await import('./run-elsewhere.ts')).withRunBranches({ directory, env }, error);
}

/** A hint to set what a flag or a variable decides would change nothing. */
async function fitSetting(
  { env }: Surroundings,
  flags: readonly ConfigFlag[],
  error: RunnerError,
): Promise<RunnerError> {
  if (!error.hint.startsWith('runner config set ')) return error;
  const { fittingHint } = await import('../core/config/setting-hint.ts');
  return error.withHint(fittingHint({ env, flags })(error.hint, error.least));
}

function internalError(error: unknown): RunnerError {
  return new RunnerError({
    code: 'INTERNAL',
    message: error instanceof Error ? error.message : String(error),
    details: error instanceof Error ? (error.stack ?? '').split('\n').slice(1) : [],
    hint: 'this is a bug in runner; please report it with the text above',
    cause: error,
  });
}
