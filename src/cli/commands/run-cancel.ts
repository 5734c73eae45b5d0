/** `runner run cancel`: stops a background run, in whatever phase it is. */
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { cancelRun } from '../../app/runs/cancel.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { runRecovery } from '../wire/run-recovery.ts';
import { openRuns } from '../wire/runs.ts';

export async function run(settings: Settings, { args }: CommandCall): Promise<number> {
  const project = await openRuns(settings);
  project.requireOutside();
  const [run_id = ''] = args;
  const { err } = settings.streams;
  const clock = systemClock();
  // Half a cancel helps nobody: the first signal is noted, the second ends this process.
  const interrupts = processInterrupts({
    onFirst: () => {
      if (!settings.quiet) err('still canceling; a second signal stops at once\n');
    },
    killNow: async () => {},
  });
  try {
    const patient = { current: () => null, subscribe: () => () => {} };
    const canceled = await cancelRun(
      {
        ...project,
        clock,
        waiter: waiter({ clock, interrupts: patient }),
        recovery: runRecovery(settings),
      },
      { run_id, by: 'cli' },
    );
    const { record, ended, problem } = canceled;
    if (!settings.quiet) {
      for (const each of ended) err(`note: ended ${cleanLine(each)}\n`);
      if (problem !== null)
        err(`warning: its work is not committed yet: ${cleanLine(problem)}; runner run resume goes on\n`);
    }
    const { status, reason, branch, worktree } = record;
    printLine(
      settings,
      `canceled run=${word(run_id)} status=${status} branch=${word(branch)} processes=${ended.length}`,
      { command: 'run cancel', run_id, status, reason, branch, worktree, ended, problem },
    );
    return exitCodes.ok;
  } finally {
    interrupts.close();
  }
}
