/** The current tree, with the state of every node and what was spent on it, read-only. */
import { listRows, progressOf, workByNode } from '../../core/views/overview.ts';
import type { NodeRow, Progress } from '../../core/views/overview.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import type { Selection } from '../../core/types.ts';
import type { DroppedNode } from '../../core/tree/dropped.ts';
import type { Sidecars } from '../../ports/stores.ts';
import type { IterationReader } from '../../ports/iteration-reader.ts';
import { loadLook } from './look.ts';
import type { LookPorts } from './look.ts';

export interface TreeView {
  readonly run_id: string | null;
  readonly rows: readonly NodeRow[];
  readonly progress: Progress;
  readonly selection: Selection;
  /** What people took out of the tree, when it was asked for. */
  readonly dropped: readonly DroppedNode[];
}

export async function loadTreeView(
  ports: LookPorts & {
    readonly iterations: IterationReader;
    readonly sidecars: Pick<Sidecars, 'listDropped'>;
  },
  {
    withDropped,
    ...options
  }: { readonly depthMax: number | null; readonly isOpenOnly: boolean; readonly withDropped: boolean },
): Promise<TreeView> {
  const { tree, runState, selection } = await loadLook(ports);
  const { run_id } = runState;
  const work = workByNode(run_id === null ? [] : await loadRecords(ports.iterations, run_id));
  return {
    run_id,
    rows: listRows({ tree, selection, work, ...options }),
    progress: progressOf(tree),
    selection,
    dropped: withDropped ? await ports.sidecars.listDropped() : [],
  };
}

async function loadRecords(iterations: IterationReader, run_id: string): Promise<readonly IterationMeta[]> {
  const records: IterationMeta[] = [];
  for (const iter of await iterations.listIterations(run_id)) {
    const meta = await iterations.loadMeta({ run_id, iter });
    if (meta !== null) records.push(meta);
  }
  return records;
}
