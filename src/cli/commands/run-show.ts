/** `runner run show`: one run, the end of its readable log, and with `--follow` what comes, read-only. */
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { followProgress } from '../../app/runs/follow.ts';
import { findRun } from '../../app/runs/list.ts';
import type { FoundRun } from '../../app/runs/list.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { RunSize } from '../../ports/runs.ts';
import { exitCodes, exitOfSignal } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import { printRunEnd, renderShownLines, shownValue } from '../output/run-list-text.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openRuns } from '../wire/runs.ts';

const tailDefault = 20;

export async function run(settings: Settings, { args, options }: CommandCall): Promise<number> {
  const project = await openRuns(settings);
  const [run_id = ''] = args;
  const tail = typeof options['tail'] === 'number' ? options['tail'] : tailDefault;
  const isFollowed = options['follow'] === true;
  const found = await findRun(project, run_id);
  const worktree = found.row.background?.worktree ?? null;
  const size = await project.files.size({ run_id, worktree });
  const onLines = settings.json ? valuePrinter(settings, found, size) : linePrinter(settings, found, size);
  const interrupts = processInterrupts({ onFirst: () => {}, killNow: async () => {} });
  try {
    const ports = { ...project, waiter: waiter({ clock: systemClock(), interrupts }) };
    const signal = await followProgress(ports, { run_id, tail, isFollowed, onLines });
    if (signal !== null) return exitOfSignal(signal);
  } finally {
    interrupts.close();
  }
  if (isFollowed) printRunEnd(settings, 'run show', (await findRun(project, run_id)).row);
  return exitCodes.ok;
}

type Printer = (lines: readonly string[]) => Promise<boolean>;

function linePrinter({ streams }: Settings, found: FoundRun, size: RunSize): Printer {
  let head: readonly string[] = renderShownLines(found, size);
  return async (lines) => {
    const all = [...head, ...lines.map(cleanLine)];
    head = [];
    return streams.send(all.map((line) => `${line}\n`).join(''));
  };
}

function valuePrinter({ streams }: Settings, found: FoundRun, size: RunSize): Printer {
  const { run_id } = found.row;
  let isFirst = true;
  return async (lines) => {
    const tail = lines.map(cleanLine);
    const values = isFirst
      ? [shownValue(found, { ...size, tail })]
      : tail.map((text) => ({ command: 'run show', event: 'line', run_id, text }));
    isFirst = false;
    return streams.send(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  };
}
