/** `runner loop`: iterations until something ends them, and what they did and used. */
import type { StepRecord } from '../../app/iteration.ts';
import { runLoop } from '../../app/loop.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { loadSpending } from '../../app/views/spending.ts';
import { countOpenQuestions } from '../../app/views/status.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitOfLoop } from '../outcome-exit.ts';
import type { CommandCall } from '../program.ts';
import { announcePlan } from '../output/announce-plan.ts';
import { openOutput } from '../output/run-output.ts';
import type { Settings } from '../output/streams.ts';
import { openProject } from '../wire/iteration.ts';

export async function run(given: Settings, call: CommandCall): Promise<number> {
  const output = openOutput(given, call);
  const project = await openProject(output.settings, call, { command: 'loop', reporters: output.reporters });
  const records: StepRecord[] = [];
  const end = async (how: LoopOutcome | string): Promise<void> => {
    project.close();
    const state = await project.ports.runStates.load().catch(() => null);
    const questions = await countOpenQuestions(project.ports.workspace).catch(() => null);
    await output.loopEnd(records, how, { totals: state?.totals ?? null, questions });
  };
  let outcome: LoopOutcome;
  try {
    outcome = await runLoop(project.ports, {
      onBegin: async () => announcePlan(output.settings, await loadSpending(project.ports)),
      onStep: (record) => {
        records.push(record);
        output.loopStep(record);
      },
    });
  } catch (error) {
    await end(error instanceof RunnerError ? error.hint : '');
    throw error;
  }
  await end(outcome);
  return exitOfLoop(outcome);
}
