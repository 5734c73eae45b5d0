/** `runner step`: one iteration, or with `--dry-run` what it would be. */
import { dryRun } from '../../app/views/dry-run.ts';
import { runStep } from '../../app/loop.ts';
import { printDryRun } from '../output/dry-run-text.ts';
import { exitOfDryRun, exitOfStep } from '../outcome-exit.ts';
import type { CommandCall } from '../program.ts';
import { openOutput } from '../output/run-output.ts';
import type { Settings } from '../output/streams.ts';
import { openProject } from '../wire/iteration.ts';

export async function run(given: Settings, call: CommandCall): Promise<number> {
  const output = openOutput(given, call);
  const project = await openProject(output.settings, call, { command: 'step', reporters: output.reporters });
  try {
    if (call.options['dryRun'] === true) {
      const planned = await dryRun(project.ports);
      printDryRun(output.settings, planned);
      return exitOfDryRun(planned);
    }
    const outcome = await runStep(project.ports);
    project.closeLive();
    await output.stepEnd(outcome);
    return exitOfStep(outcome);
  } finally {
    project.close();
  }
}
