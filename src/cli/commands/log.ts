/** `runner log`: what happened in the iterations of a run, in one of them, or right now, read-only. */
import { streamStderr } from '../../app/views/agent-stderr.ts';
import { findEntry, findRun, loadDetail, loadEntries, streamLog } from '../../app/views/log.ts';
import type { LogEntry, LogPorts } from '../../app/views/log.ts';
import { findLastError, loadFailures, streamReadable } from '../../app/views/log-failures.ts';
import type { ErrorPlace, Failure } from '../../app/views/log-failures.ts';
import type { LookPorts } from '../../app/views/look.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes, exitOfSignal } from '../exit-codes.ts';
import { noteElsewhere } from '../run-elsewhere.ts';
import { followIterations } from '../output/follow-iterations.ts';
import { processInterrupts } from '../interrupts.ts';
import {
  detailValue,
  entryValue,
  errorPlaceValue,
  failureValue,
  logFlags,
  renderDetailLines,
  renderEntryLine,
  renderErrorLine,
  renderFailureLine,
} from '../output/log-text.ts';
import { renderDetailView, renderEntryView, renderErrorView, renderFailureView } from '../output/log-view.ts';
import type { View } from '../output/log-view.ts';
import { paintForOut } from '../output/colour.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openRunLook } from '../wire/looking.ts';

/** What the command line asks for. */
interface Wanted {
  readonly iter: number | null;
  readonly node: string | null;
  readonly run: string | null;
  readonly isFollow: boolean;
  /** The file to print, or null. */
  readonly file: string | null;
  readonly show: 'agent' | 'failed' | 'firstError' | null;
}

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const wanted = parseWanted(call);
  const ports = await openRunLook(settings, wanted.run);
  const runId = await findRun(ports, wanted.run);
  if (runId === null) return sayNoRun(settings, ports, wanted);
  const entries = await loadEntries(ports, { run_id: runId, node: wanted.node });
  const isOne = wanted.iter !== null || wanted.file !== null || wanted.show === 'agent';
  const iter = wanted.iter ?? entries.at(-1)?.iter ?? 1;
  const entry = isOne ? findEntry(entries, { run_id: runId, iter, node: wanted.node }) : null;
  if (entries.length === 0 && !isOne && (await isIdle(ports))) sayNoIteration(settings, runId, wanted.node);
  if (wanted.isFollow) return followRun(settings, ports, { ...wanted, run: runId });
  const asked = entry === null ? entries : [entry];
  if (wanted.show === 'failed') return printFailures(settings, await loadFailures(ports, asked));
  if (wanted.show === 'firstError') return printFirstError(settings, await findLastError(ports, asked));
  if (entry === null) return printEntries(settings, entries);
  if (wanted.show === 'agent') return printAgent(settings, ports, entry);
  return wanted.file === null
    ? printDetail(settings, ports, entry)
    : printFile(settings, ports, { ...entry, name: wanted.file });
}

const views = { agent: 'agent', failed: 'failed', firstError: 'first-error' } as const;

function parseWanted({ args, options }: CommandCall): Wanted {
  const [iter] = args;
  const text = (name: string): string | null => {
    const value = options[name];
    return typeof value === 'string' ? value : null;
  };
  const files = Object.entries(logFlags).filter(([flag]) => options[flag] === true);
  const shows = (['agent', 'failed', 'firstError'] as const).filter((flag) => options[flag] === true);
  const flags = [...files.map(([flag]) => flag), ...shows.map((flag) => views[flag])];
  const isFollow = options['follow'] === true;
  if (iter !== undefined && !/^[1-9][0-9]{0,14}$/.test(iter))
    throw usage(`'${iter}' is not the number of an iteration`);

  if (flags.length > 1) throw usage(`only one of ${flags.map((flag) => `--${flag}`).join(', ')} at a time`);
  if (isFollow && flags.length > 0) throw usage(`--follow cannot be combined with --${flags[0] ?? ''}`);
  return {
    iter: iter === undefined ? null : Number(iter),
    node: text('node'),
    run: text('run'),
    isFollow,
    file: files[0]?.[1] ?? null,
    show: shows[0] ?? null,
  };
}

function usage(message: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message, hint: 'runner log --help' });
}

/** Null: stdout is no terminal, or JSON was asked for. */
function viewOf(settings: Settings): View | null {
  const columns = settings.streams.outColumns();
  return settings.json || columns === null ? null : { columns, paint: paintForOut(settings) };
}

function printEntries(settings: Settings, entries: readonly LogEntry[]): number {
  const view = viewOf(settings);
  for (const each of entries) {
    printLine(
      settings,
      view === null ? renderEntryLine(each) : renderEntryView(each, view),
      entryValue(each),
    );
  }
  return exitCodes.ok;
}

function printFailures(settings: Settings, failures: readonly Failure[]): number {
  const view = viewOf(settings);
  for (const each of failures) {
    printLine(
      settings,
      view === null ? renderFailureLine(each) : renderFailureView(each, view).join('\n'),
      failureValue(each),
    );
  }
  if (failures.length === 0) sayNone(settings);
  return exitCodes.ok;
}

function printFirstError(settings: Settings, error: ErrorPlace | null): number {
  const view = viewOf(settings);
  if (error === null) {
    sayNone(settings);
  } else {
    printLine(
      settings,
      view === null ? renderErrorLine(error) : renderErrorView(error, view).join('\n'),
      errorPlaceValue(error),
    );
  }
  return exitCodes.ok;
}

function sayNone({ quiet, streams }: Settings): void {
  if (!quiet) streams.err('note: no iteration has failed\n');
}

/** Of an agent whose output has no events, what it printed. */
async function printAgent(settings: Settings, ports: LogPorts, entry: LogEntry): Promise<number> {
  const { run_id, iter } = entry;
  const sender =
    (file: string) =>
    (text: string): Promise<boolean> => {
      const value = { command: 'log', event: 'text', run_id, iter, file, text };
      return settings.streams.send(settings.json ? `${JSON.stringify(value)}\n` : text);
    };
  const hasAny = await streamReadable(ports.iterations, { run_id, iter }, sender('events.jsonl'));
  if (!hasAny) return printFile(settings, ports, { ...entry, name: 'executor.log' });
  await streamStderr(ports.iterations, { run_id, iter }, sender('executor.log'));
  return exitCodes.ok;
}

/** Before `start`, and on a branch without a run: an empty list is no error, but a missing iteration is one. */
async function sayNoRun(settings: Settings, ports: LogPorts, wanted: Wanted): Promise<number> {
  const runs = await ports.iterations.listRuns();
  const known = runs.length === 0 ? '' : `; there are logs of: ${runs.join(', ')} (runner log --run <id>)`;
  if (wanted.iter !== null || wanted.node !== null || wanted.file !== null || wanted.show !== null) {
    throw new RunnerError({
      code: 'LOG_MISSING',
      message: 'no run has been started on this branch, so there is no iteration to show',
      hint: runs.length === 0 ? 'runner start' : `runner log --run ${runs[0] ?? ''}`,
    });
  }
  if (!settings.quiet) settings.streams.err(`note: no run has been started on this branch${known}\n`);
  await noteElsewhere(settings);
  return exitCodes.ok;
}

/** A runner that works here may be about to begin one. */
async function isIdle({ workTree }: LogPorts): Promise<boolean> {
  return workTree === null || (await workTree.lock.holder()) === null;
}

function sayNoIteration({ quiet, streams }: Settings, runId: string, node: string | null): void {
  const on = node === null ? '' : ` on ${node}`;
  const why = 'logs are not in git, so a fresh clone has none';
  if (!quiet) streams.err(`note: run ${runId} has no iteration${on} here; runner loop begins one (${why})\n`);
}

async function printDetail(settings: Settings, ports: LogPorts, entry: LogEntry): Promise<number> {
  const detail = await loadDetail(ports, entry);
  const view = viewOf(settings);
  const lines = view === null ? renderDetailLines(detail) : renderDetailView(detail, view);
  printLine(settings, lines.join('\n'), detailValue(detail));
  return exitCodes.ok;
}

async function printFile(
  settings: Settings,
  { iterations }: LogPorts,
  place: LogEntry & { readonly name: string },
): Promise<number> {
  const { run_id, iter, name } = place;
  let isLineOpen = false;
  await streamLog(iterations, { run_id, iter, name }, (text) => {
    isLineOpen = !text.endsWith('\n');
    const value = { command: 'log', event: 'text', run_id, iter, file: name, text };
    return settings.streams.send(settings.json ? `${JSON.stringify(value)}\n` : text);
  });
  if (isLineOpen && !settings.json) settings.streams.out('\n');
  return exitCodes.ok;
}

async function followRun(
  settings: Settings,
  ports: LogPorts & LookPorts,
  wanted: Wanted & { readonly run: string },
): Promise<number> {
  const interrupts = processInterrupts({ onFirst: () => {}, killNow: async () => {} });
  try {
    const { run: run_id, iter: from, node } = wanted;
    const signal = await followIterations(settings, ports, { run_id, from, node, interrupts });
    return signal === null ? exitCodes.ok : exitOfSignal(signal);
  } finally {
    interrupts.close();
  }
}
