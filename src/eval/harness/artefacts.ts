/** Copies what a run left in its workspace to the results, and reads its numbers. A missing file is reported and stops nothing. */
import { cp, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../adapters/files/disk-error.ts';
import { layout } from '../../adapters/files/layout.ts';
import { runStateStore } from '../../adapters/project/run-state-store.ts';
import { loadSmallFile } from '../../adapters/files/small-file.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { parseMeta } from '../../core/iteration/iteration-meta.ts';
import { stateFileBytesMax } from '../../core/limits.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { RunState, TreeNode } from '../../core/types.ts';

export interface Artefacts {
  readonly tree: TreeNode | null;
  readonly runState: RunState | null;
  /** Of the iterations in order; null: it cannot be read. */
  readonly metas: readonly (IterationMeta | null)[];
  readonly attempts: number;
  readonly errors: readonly string[];
}

export const noArtefacts: Artefacts = { tree: null, runState: null, metas: [], attempts: 0, errors: [] };

export async function collectArtefacts(workspace: string, resultsDir: string): Promise<Artefacts> {
  const place = layout(workspace);
  const errors: string[] = [];
  const runState = await attempt(errors, 'run_state.json', () => runStateStore(place).load());
  const tree = await attempt(errors, 'tree.json', () => treeStore(place).load());
  await attempt(errors, 'tree.json', () => copy(place.tree, join(resultsDir, 'tree.json')));
  await attempt(errors, 'run_state.json', () => copy(place.runState, join(resultsDir, 'run_state.json')));
  const run_id = runState?.run_id ?? null;
  if (run_id !== null && runState !== null && runState.next_iter > 1) {
    const target = join(resultsDir, 'iterations', run_id);
    await attempt(errors, 'iterations', () => copy(place.runDir(run_id), target));
  }
  return {
    tree,
    runState,
    metas: loadMetas(workspace, runState),
    attempts: tree === null ? 0 : walkTree(tree).reduce((sum, { node }) => sum + node.attempts, 0),
    errors: [...new Set(errors)],
  };
}

async function attempt<T>(errors: string[], what: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    errors.push(`${what}: ${errorText(error)}`);
    return null;
  }
}

function loadMetas(workspace: string, state: RunState | null): readonly (IterationMeta | null)[] {
  const run_id = state?.run_id ?? null;
  if (state === null || run_id === null) return [];
  return Array.from({ length: state.next_iter - 1 }, (_, index) => {
    const place = { run_id, iter: index + 1 };
    const text = loadSmallFile(layout(workspace).iteration(place).meta, stateFileBytesMax);
    return text === null ? null : parseMeta(text, place);
  });
}

/** Files and folders only: a link of the agent's must not bring in what lies elsewhere. */
async function copy(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: async (source) => {
      const stats = await lstat(source);
      return stats.isFile() || stats.isDirectory();
    },
  });
}
