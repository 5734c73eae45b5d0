/** What runs left: logs and work trees of their own, with sizes, and processes (§12). Removes only what it listed. */
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkGoalId } from '../../core/config/goal-id.ts';
import type { Leftover } from '../../core/runs/clean-plan.ts';
import type { RunLeftovers } from '../../ports/endings.ts';
import { diskError } from '../files/disk-error.ts';
import { removeFile } from '../files/files.ts';
import { folderSize } from './folder-size.ts';
import { layout } from '../files/layout.ts';
import type { RepositoryLayout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { sweepWorkTree } from '../processes/sweep.ts';

/** `worktreesDir`: where the work trees of this repository's background runs are made. */
export function runLeftovers(place: {
  readonly repository: RepositoryLayout;
  readonly worktreesDir: string;
}): RunLeftovers {
  const { repository, worktreesDir } = place;
  const ownFolder = (runId: string): string => join(worktreesDir, runId);
  return {
    list: async ({ run_id, work_trees, prefix }) => {
      if (checkGoalId(run_id) !== null) return [];
      const logs = work_trees.map((top) => layout(join(top, prefix)).runDir(run_id));
      const found = [
        { kind: 'worktrees', place: ownFolder(run_id) } as const,
        { kind: 'rescue', place: repository.kept(run_id) } as const,
        ...[repository.runLogs(run_id), ...logs].map((path) => ({ kind: 'logs', place: path }) as const),
      ];
      const sized: Leftover[] = [];
      for (const one of found) {
        const bytes = await folderSize(one.place);
        if (bytes !== null) sized.push({ run_id, ...one, bytes });
      }
      return sized;
    },
    isOwn: ({ run_id, path }) => path === ownFolder(run_id),
    remove: async ({ run_id, place: folder }) => {
      // Each is its run's own folder, directly below one that holds those of all runs.
      if (checkGoalId(run_id) !== null || join(dirname(folder), run_id) !== folder)
        throw new Error(`no folder of run '${run_id}': ${folder}`);
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch (cause) {
        throw diskError({ action: 'remove', path: folder, cause });
      }
    },
    keepLogs: async ({ run_id, work_tree, prefix }) => {
      const from = layout(join(work_tree, prefix)).runDir(run_id);
      if (lookAt(from)?.isDirectory() !== true) return;
      try {
        cpSync(from, repository.runLogs(run_id), { recursive: true, force: false, verbatimSymlinks: true });
      } catch (cause) {
        throw diskError({ action: 'copy the logs of the run from', path: from, cause });
      }
    },
    endProcesses: async (workTree) => {
      await sweepWorkTree(workTree);
    },
    removeProgress: (runId) => removeFile(repository.progress(runId), { root: repository.commonDir }),
  };
}
