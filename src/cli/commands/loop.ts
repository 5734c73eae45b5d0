/** `runner loop`: iterations until something ends them, and what they did and used. */
import type { StepRecord } from '../../app/iteration.ts';
import { runLoop } from '../../app/loop.ts';
import { exitOfLoop } from '../outcome-exit.ts';
import type { CommandCall } from '../program.ts';
import { printLoopEnd, printLoopStep } from '../report.ts';
import type { Settings } from '../streams.ts';
import { renderSummary } from '../summary.ts';
import { openProject } from '../wire.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call.overrides);
  try {
    const records: StepRecord[] = [];
    const outcome = await runLoop(project.ports, (record) => {
      records.push(record);
      printLoopStep(settings, record);
    });
    project.closeLive();
    if (!settings.quiet) {
      const state = await project.ports.runStates.load().catch(() => null);
      for (const line of renderSummary(records, state?.totals ?? null)) settings.streams.err(`${line}\n`);
    }
    printLoopEnd(settings, outcome);
    return exitOfLoop(outcome);
  } finally {
    project.close();
  }
}
