/** What background runs leave on disk, for those who look: sizes, and the readable log (§12, §13.6). Reads only. */
import { join, sep } from 'node:path';
import type { RunFiles } from '../../ports/runs.ts';
import { folderSize } from '../files/folder-size.ts';
import type { Layout, RepositoryLayout } from '../files/layout.ts';
import { lineFollower } from '../files/line-follower.ts';

/** `worktreesDir`: where the work trees of this repository's background runs are made. */
export function runFiles(options: {
  readonly repository: RepositoryLayout;
  readonly project: Pick<Layout, 'runDir'>;
  readonly worktreesDir: string;
}): RunFiles {
  const { repository, project, worktreesDir } = options;
  return {
    size: async ({ run_id, worktree }) => {
      const logs = await Promise.all([
        folderSize(project.runDir(run_id)),
        folderSize(repository.runLogs(run_id)),
      ]);
      return {
        logs_bytes: logs.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0),
        worktree_bytes: worktree === null ? null : await folderSize(worktree),
      };
    },
    isRunFolder: (path) => path.startsWith(join(worktreesDir, sep)),
    followProgress: (runId) =>
      lineFollower(() => ({ path: repository.progress(runId), root: repository.commonDir })),
  };
}
