/** Checks what the commit of `runner finish` says about the run (§12, §15). What it merged the guard has checked there, once. */
import { progressOf } from '../tree/progress.ts';
import { parseTree } from '../tree/tree-schema.ts';
import { parseAmount } from './check-description.ts';
import { differ, first, problem } from './problem.ts';
import { readRunState } from './run-states.ts';
import { parseTrailers, trailer } from './trailers.ts';
import type { LineCommit, Problem, StateFiles } from './transition.ts';

/** `commit`: one whose trailer `Runner-Tip` names the run's last commit; `files`: of that last commit. */
export function checkFinish(commit: LineCommit, files: StateFiles, runId: string): Problem | null {
  const trailers = parseTrailers(commit.message);
  const [state, tree] = [readRunState(files.runState), parseTree(files.tree)];
  if (state === null || !tree.ok) return problem('finish', 'a run that can be read', 'it cannot');
  const { passed, total } = progressOf(tree.tree);
  const of = (key: string): string | null => trailer(trailers, key);
  return first(
    () => differ('Runner-Run', runId, of('Run')),
    () => differ('Runner-Iterations', String(state.next_iter - 1), of('Iterations')),
    () => differ('Runner-Passes', `${passed}/${total}`, of('Passes')),
    () => differ('Runner-Tokens', state.totals.tokens, parseAmount(of('Tokens'))),
    () => differ('Runner-Cost-USD', state.totals.cost_usd, parseAmount(of('Cost-USD'))),
  );
}
