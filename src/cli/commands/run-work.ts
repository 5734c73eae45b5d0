/** The hidden command behind background runs: the process that works on one (§13). `run start --wait` does the same in the foreground. */
import type { StepRecord } from '../../app/iteration.ts';
import type { BegunRun } from '../../app/runs/begin-run.ts';
import { work } from '../../app/runs/work.ts';
import type { Worked } from '../../app/runs/work.ts';
import { hintOf } from '../../app/runs/run-end.ts';
import { RunnerError } from '../../core/errors.ts';
import { errorTable, exitCodes, exitOfSignal } from '../exit-codes.ts';
import { exitOfLoop } from '../outcome-exit.ts';
import { printError } from '../output/report.ts';
import { printRun } from '../output/run-text.ts';
import { renderSummary } from '../output/summary.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openWork } from '../wire/background.ts';
import { openSignals } from '../wire/iteration.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [runId = ''] = call.args;
  return workOn({ ...settings, quiet: true }, runId, null);
}

/** `begun`: by `--wait`, and so with a live view; null: without one. */
export async function workOn(settings: Settings, runId: string, begun: BegunRun | null): Promise<number> {
  const isLive = begun !== null;
  const say = (line: string): void => {
    if (isLive && !settings.quiet) settings.streams.err(`${line}\n`);
  };
  const signals = openSignals({ say });
  const records: StepRecord[] = [];
  const ports = await openWork(settings, runId, {
    signals,
    isLive,
    onStep: (record) => void records.push(record),
  });
  try {
    const worked = await work(ports, runId);
    const { error } = worked;
    const end = worked.outcome ?? (error instanceof RunnerError ? error.hint : '');
    const lines = renderSummary(records, end, { totals: null, questions: null }, hintOf(worked.record));
    for (const line of lines) say(line);
    printFailure(settings, worked);
    printRun(settings, worked.record, begun ?? { laid: [], left_out: [], notes: [] });
    return exitOf(worked);
  } finally {
    ports.close();
    signals.interrupts.close();
  }
}

function printFailure(settings: Settings, { error, record }: Worked): void {
  if (!(error instanceof RunnerError) || error.signal !== null) return;
  printError({ ...settings, json: false }, error.withHint(hintOf(record)(error.hint, error.least)));
}

function exitOf({ outcome, error }: Worked): number {
  if (outcome !== null) return exitOfLoop(outcome);
  if (!(error instanceof RunnerError)) return exitCodes.error;
  return error.signal === null ? errorTable[error.code].exit : exitOfSignal(error.signal);
}
