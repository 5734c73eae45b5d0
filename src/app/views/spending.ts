/** What the run can still use at most, for the line that `start` and `loop` print before anything is used up. */
import { planSpending } from '../../core/views/spending.ts';
import type { Spending } from '../../core/views/spending.ts';
import type { Ports } from '../../ports/ports.ts';

/** Null: something is wrong with the run, and the command itself says what. */
export async function loadSpending(
  ports: Pick<Ports, 'trees' | 'runStates' | 'configs'>,
): Promise<Spending | null> {
  try {
    return planSpending({
      tree: await ports.trees.load(),
      runState: await ports.runStates.load(),
      config: await ports.configs.load(),
    });
  } catch {
    return null;
  }
}
