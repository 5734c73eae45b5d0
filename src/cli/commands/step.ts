/** `runner step`: one iteration. */
import { runStep } from '../../app/loop.ts';
import { exitOfStep } from '../outcome-exit.ts';
import type { CommandCall } from '../program.ts';
import { printStep } from '../report.ts';
import type { Settings } from '../streams.ts';
import { openProject } from '../wire.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call.overrides);
  try {
    const outcome = await runStep(project.ports);
    project.closeLive();
    printStep(settings, outcome);
    return exitOfStep(outcome);
  } finally {
    project.close();
  }
}
