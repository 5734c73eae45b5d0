/** Runs the runner for a trial: the built program, started as a person would, with its output in a log and a time limit. */
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { logDiskBytesMax } from '../../core/limits.ts';
import { isObject } from '../../core/text/is-object.ts';
import { parseStrictJson } from '../../core/text/strict-json.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { runLogged } from './logged-run.ts';
import type { LoggedResult } from './logged-run.ts';
import type { HiddenCall, Hide } from './hide.ts';
import { endWorkTree } from './trial-world.ts';
import type { TrialWorld } from './trial-world.ts';
import type { TrialFolder } from './workspace.ts';

const logBytesMax = 1_000_000;
const signalExit = 128;
/** HUP, INT and TERM, which a runner answers itself. */
const answeredExits = [129, 130, 143];
/** Before it stops, a runner ends its session and commits the work. */
const graceMs = 60_000;

export interface RunnerCall {
  readonly command: 'init' | 'start' | 'loop';
  readonly flags?: readonly string[];
  readonly resultsDir: string;
  readonly folder: TrialFolder;
  /** Its view of files and processes; null: ours. */
  readonly hide: Hide;
  readonly agent: Pick<HiddenCall, 'words' | 'bringsSandbox'>;
  readonly env: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly deadlineMs: number;
  readonly onStep?: (step: Readonly<Record<string, unknown>>) => void;
}

export interface RunnerEnd {
  readonly kind: 'exited' | 'interrupted' | 'timeout' | 'failed';
  readonly exit_code: number | null;
  /** The line with which a loop ends; null when there is none. */
  readonly last: Readonly<Record<string, unknown>> | null;
  /** What it says is wrong, or how it ended otherwise; null when it exited with 0. */
  readonly message: string | null;
  /** Code of the error it names; null: none. */
  readonly error_code: string | null;
  /** It told of an iteration that begins with a session. */
  readonly has_session: boolean;
}

export async function runRunner(world: TrialWorld, call: RunnerCall): Promise<RunnerEnd> {
  const { onStep, folder, hide } = call;
  const argv = [...world.program, call.command, ...(call.flags ?? []), '--json', '--no-input'];
  const view =
    hide === null ? null : await hide({ ...call.agent, trialDir: folder.dir, argv, env: call.env });
  const stdinFile = join(call.resultsDir, 'view');
  if (view !== null) await replaceFile(stdinFile, view.options, { root: call.resultsDir });
  const ran = await runLogged({
    argv: view?.argv ?? argv,
    ...(view === null ? {} : { stdinFile }),
    cwd: folder.workspace,
    outputDir: folder.output,
    env: call.env,
    log: join(call.resultsDir, `runner.${call.command}.log`),
    root: call.resultsDir,
    logBytesMax,
    diskBytesMax: logDiskBytesMax,
    deadlineMs: call.deadlineMs,
    timeoutMs: null,
    graceMs,
    cookie: call.cookie,
    clock: world.clock,
    interrupts: world.interrupts,
    isOneStream: false,
    ...(onStep === undefined ? {} : { onLine: (line: string) => tellStep(line, onStep) }),
  });
  // Bubblewrap turns the signal that ended its program into an exit code.
  await rm(stdinFile, { force: true });
  const result = hide === null ? ran : withSignal(ran);
  if (result.exitCode === null) await endWorkTree(folder.workspace);
  const records = result.tail.split('\n').map(parseRecord);
  const last = records.findLast((record) => record?.['event'] === 'end') ?? null;
  const words =
    records.map((record) => errorPart(record, 'message')).findLast((text) => text !== null) ?? null;
  const error_code =
    records.map((record) => errorPart(record, 'code')).findLast((text) => text !== null) ?? null;
  const has_session = /^iter \d+: /m.test(result.errorTail);
  const common = { exit_code: result.exitCode, last, error_code, has_session };
  switch (result.end) {
    case 'interrupted':
      return { ...common, kind: 'interrupted', message: 'interrupted' };
    case 'deadline':
      return { ...common, kind: 'timeout', message: `runner ${call.command} ran out of time` };
    case 'not_started':
      return { ...common, kind: 'failed', message: `the runner did not start: ${result.startError ?? ''}` };
    case 'disk_cap':
      return { ...common, kind: 'failed', message: `it printed more than ${logDiskBytesMax} bytes` };
    case 'timeout':
    case 'idle':
    case 'hopeless':
    case 'answered':
    case 'exited':
      return { ...common, kind: 'exited', message: messageOf(call, { result, words }) };
  }
}

function withSignal(ran: LoggedResult): LoggedResult {
  const { exitCode } = ran;
  if (exitCode === null || exitCode <= signalExit || answeredExits.includes(exitCode)) return ran;
  const name = Object.entries(constants.signals).find(([, number]) => signalExit + number === exitCode)?.[0];
  return name === undefined ? ran : { ...ran, exitCode: null, signal: name };
}

function tellStep(line: string, onStep: NonNullable<RunnerCall['onStep']>): void {
  const record = parseRecord(line);
  if (record?.['event'] === 'step') onStep(record);
}

function parseRecord(line: string): RunnerEnd['last'] {
  const json = parseStrictJson(line);
  const value = json.ok ? json.value : null;
  return isObject(value) ? value : null;
}

function errorPart(record: RunnerEnd['last'], part: 'message' | 'code'): string | null {
  const error: unknown = record?.['error'];
  const words: unknown =
    typeof error === 'object' && error !== null
      ? Object.entries(error).find(([name]) => name === part)?.[1]
      : null;
  return typeof words === 'string' ? cleanLine(words) : null;
}

/** The runner's own words where it has some. */
function messageOf(
  { command }: RunnerCall,
  ended: { readonly result: LoggedResult; readonly words: string | null },
): string | null {
  const { exitCode, signal } = ended.result;
  if (exitCode === 0) return null;
  const how = exitCode === null ? `signal ${signal ?? ''}` : `exit code ${exitCode}`;
  return `runner ${command}: ${ended.words ?? `it ended with ${how}`}`;
}
