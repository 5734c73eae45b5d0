/** `runner run resume`: goes on with a background run from its branch. */
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { resumeRun } from '../../app/runs/resume.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openRuns } from '../wire/runs.ts';
import { openStarter } from '../wire/background.ts';

export async function run(settings: Settings, { args }: CommandCall): Promise<number> {
  const project = await openRuns(settings);
  project.requireOutside();
  const [run_id = ''] = args;
  const clock = systemClock();
  const patient = { current: () => null, subscribe: () => () => {} };
  const resumed = await resumeRun(
    {
      ...project,
      clock,
      waiter: waiter({ clock, interrupts: patient }),
      starter: await openStarter(settings),
    },
    { run_id, by: 'cli' },
  );
  const { record, is_seen, is_new_record } = resumed;
  if (!settings.quiet) {
    const { err } = settings.streams;
    if (is_new_record) err('note: there was no record of a background run; one was made from the branch\n');
    if (!is_seen)
      err(`warning: its process has not reported within 10 s; look again: runner run show ${run_id}\n`);
  }
  const { status, branch, owner } = record;
  printLine(
    settings,
    `resumed run=${word(run_id)} status=${status} branch=${word(branch)} pid=${word(owner?.pid ?? null)}`,
    { command: 'run resume', run_id, status, branch, pid: owner?.pid ?? null, is_seen, is_new_record },
  );
  return exitCodes.ok;
}
