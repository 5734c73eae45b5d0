/** Decides what the next iteration is: asks the selector and the limits in the order of §5. Reads and writes nothing. */
import { selectNext } from '../core/tree/selector.ts';
import type { Config, Purpose, RunState, SelectedLeaf, TreeNode } from '../core/types.ts';
import { reachedLimit } from '../core/agents/usage.ts';
import type { StepOutcome } from './iteration.ts';

export interface PlanGround {
  readonly runId: string;
  readonly config: Config;
  readonly runState: RunState;
  readonly tree: TreeNode;
}

/** What an iteration works on. A repair selects no leaf; it is recorded with the id of the leaf that caused it. */
export interface Work {
  readonly purpose: Purpose;
  readonly leaf: SelectedLeaf | null;
  readonly nodeId: string;
}

export type Plan =
  | { readonly kind: 'work'; readonly work: Work }
  | Extract<StepOutcome, { kind: 'complete' | 'stuck' | 'limit' | 'run_limit' }>;

export function planNext(ground: PlanGround): Plan {
  const { runId, config, runState, tree } = ground;
  const selection = selectNext({ tree, runState, onStuck: config.on_stuck });
  if (selection.kind === 'complete') return { kind: 'complete', run_id: runId };
  if (selection.kind === 'stuck') return { kind: 'stuck', run_id: runId, leaf: selection.leaf };
  return checkLimits(ground) ?? { kind: 'work', work: workOf(selection) };
}

export function workOf(selection: Extract<ReturnType<typeof selectNext>, { kind: 'leaf' | 'repair' }>): Work {
  const { leaf } = selection;
  if (selection.kind === 'repair') return { purpose: 'repair', leaf, nodeId: selection.repair.node_id };
  return { purpose: selection.purpose, leaf, nodeId: selection.leaf.node.id };
}

/** Looked at before every iteration, against totals that are kept in the run state. */
function checkLimits({
  runId,
  runState,
  config,
}: PlanGround): Extract<Plan, { kind: 'limit' | 'run_limit' }> | null {
  if (runState.next_iter > config.max_iterations) {
    return {
      kind: 'limit',
      run_id: runId,
      next_iter: runState.next_iter,
      max_iterations: config.max_iterations,
    };
  }
  const reached = reachedLimit(config.limits, runState.totals);
  return reached === null ? null : { kind: 'run_limit', run_id: runId, ...reached };
}
