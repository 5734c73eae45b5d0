/** The files of `.runner/` that an outcome decides, as the texts that are written and committed. Never reads what is on disk. */
import { renderTree } from '../tree/canonical-json.ts';
import { renderLastFile } from './last-file.ts';
import type { Outcome } from './outcome-row.ts';
import { renderRunState } from './run-state.ts';

/** Paths relative to `.runner/`; null removes the file. */
export function decidedFiles(
  outcome: Pick<Outcome, 'tree' | 'runState' | 'last' | 'forgetLast' | 'rejected'>,
  nodeId: string,
): Readonly<Record<string, string | null>> {
  const { tree, runState, last, forgetLast, rejected } = outcome;
  const rejectedFile = 'state/tree.rejected.json';
  return {
    'state/tree.json': renderTree(tree),
    ...(last.action === 'write' ? { [lastFile(nodeId)]: renderLastFile(last.record) } : {}),
    ...Object.fromEntries(forgetLast.map((id) => [lastFile(id), null])),
    ...(rejected.action === 'write' ? { [rejectedFile]: rejected.text } : {}),
    ...(rejected.action === 'remove' ? { [rejectedFile]: null } : {}),
    'state/run_state.json': renderRunState(runState),
  };
}

function lastFile(nodeId: string): string {
  return `nodes/${nodeId}/last.json`;
}
