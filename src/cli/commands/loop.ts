/** `runner loop`: iterations until something ends them, and what they did and used. */
import type { StepRecord } from '../../app/iteration.ts';
import { runLoop } from '../../app/loop.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { exitOfLoop } from '../outcome-exit.ts';
import type { CommandCall } from '../program.ts';
import { openOutput } from '../output/run-output.ts';
import type { Settings } from '../output/streams.ts';
import { openProject } from '../wire/iteration.ts';

export async function run(given: Settings, call: CommandCall): Promise<number> {
  const output = openOutput(given, call);
  const project = await openProject(output.settings, call, { command: 'loop', reporters: output.reporters });
  const records: StepRecord[] = [];
  let outcome: LoopOutcome | null = null;
  try {
    outcome = await runLoop(project.ports, (record) => {
      records.push(record);
      output.loopStep(record);
    });
  } finally {
    project.close();
    const state = await project.ports.runStates.load().catch(() => null);
    await output.loopEnd(records, outcome, state?.totals ?? null);
  }
  return exitOfLoop(outcome);
}
