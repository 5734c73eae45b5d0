/** One line about what a run can still use at most, before anything is used up. */
import { planSpending, renderSpending } from '../../core/proof/spending.ts';
import type { ProjectState } from '../wire/state.ts';
import type { Settings } from './streams.ts';

/** Whatever is wrong with the run, the command itself says it. */
export async function announcePlan({ json, quiet, streams }: Settings, state: ProjectState): Promise<void> {
  if (json || quiet) return;
  try {
    const plan = planSpending({
      tree: await state.trees.load(),
      runState: await state.runStates.load(),
      config: await state.configs.load(),
    });
    streams.err(`plan: ${renderSpending(plan)}\n`);
  } catch {
    // No line then.
  }
}
