/** `runner run attach`: a background run live, as if it ran here. Ctrl-C leaves, and the run goes on. Reads only. */
import { join } from 'node:path';
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { findRun } from '../../app/runs/list.ts';
import type { FoundRun } from '../../app/runs/list.ts';
import { RunnerError } from '../../core/errors.ts';
import type { RunStatus } from '../../core/runs/record.ts';
import { exitCodes } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import type { ProcessInterrupts } from '../interrupts.ts';
import { followIterations } from '../output/follow-iterations.ts';
import { printRunEnd, statusWord } from '../output/run-list-text.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openLook } from '../wire/looking.ts';
import { openRuns } from '../wire/runs.ts';
import type { RunsProject } from '../wire/runs.ts';

const lookEveryMs = 200;

export async function run(settings: Settings, { args }: CommandCall): Promise<number> {
  const project = await openRuns(settings);
  const [run_id = ''] = args;
  const { row } = await findRun(project, run_id);
  if (row.background?.is_alive !== true) {
    throw new RunnerError({
      code: 'RUN_ENDED',
      message: `there is nothing to attach to: run ${run_id} is ${statusWord(row)} and has no background process`,
      hint: `runner run show ${run_id}`,
    });
  }
  const interrupts = processInterrupts({ onFirst: () => {}, killNow: async () => {} });
  try {
    const ended = await follow(settings, project, { run_id, interrupts });
    if (ended === null) {
      settings.streams.err(`detached: run ${run_id} goes on (runner run attach ${run_id})\n`);
      return exitCodes.ok;
    }
    printRunEnd(settings, 'run attach', ended.row);
    return exitOfStatus(ended.row.background?.status ?? null);
  } finally {
    interrupts.close();
  }
}

interface Attached {
  readonly run_id: string;
  readonly interrupts: ProcessInterrupts;
}

/** Null: the person left. Between iterations, and before the first, there is nothing to follow but the record. */
async function follow(
  settings: Settings,
  project: RunsProject,
  { run_id, interrupts }: Attached,
): Promise<FoundRun | null> {
  const wait = waiter({ clock: systemClock(), interrupts });
  let from: number | null = null;
  let told = '';
  for (;;) {
    const found = await findRun(project, run_id);
    const { record, row } = found;
    if (record === null || row.background?.is_alive !== true) return found;
    if (statusWord(row) !== told && !settings.quiet)
      settings.streams.err(`run ${run_id}: ${statusWord(row)}\n`);
    told = statusWord(row);
    const worker = record.worktree === null ? null : await project.processes.workerIn(record.worktree);
    const ports =
      record.worktree === null || worker === null
        ? null
        : await openLook({ ...settings, directory: join(record.worktree, record.prefix) }).catch(() => null);
    const onEnd = (iter: number): void => {
      from = iter + 1;
    };
    const request = { run_id, from, node: null, interrupts, onEnd };
    const signal =
      ports === null
        ? await wait.wait({ ms: lookEveryMs, onTick: () => {} })
        : await followIterations(settings, ports, request);
    if (signal !== null) return null;
  }
}

function exitOfStatus(status: RunStatus | null): number {
  if (status === 'complete' || status === 'finished' || status === 'paused') return exitCodes.ok;
  return status === 'stuck' ? exitCodes.stuck : exitCodes.error;
}
