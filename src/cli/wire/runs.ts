/** The composition root of commands about whole runs: the records and refs of the repository, whatever is checked out here. */
import { join } from 'node:path';
import { systemClock } from '../../adapters/files/clock.ts';
import { layout, repositoryLayout } from '../../adapters/files/layout.ts';
import { placeName, stateHome } from '../../adapters/files/state-home.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { configStore } from '../../adapters/project/config-store.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { repositoryLock } from '../../adapters/runs/repository-lock.ts';
import { runFiles } from '../../adapters/runs/run-files.ts';
import { runProcesses } from '../../adapters/runs/run-processes.ts';
import type { GitPort } from '../../ports/git.ts';
import type { RepositoryLock, RunFiles, RunProcesses, RunRecords } from '../../ports/runs.ts';
import type { Settings } from '../output/streams.ts';
import { requireOutside } from './files.ts';
import { locateOrNull } from './locate.ts';

export interface RunsProject {
  readonly git: GitPort;
  readonly records: RunRecords;
  readonly files: RunFiles;
  readonly processes: RunProcesses;
  readonly lock: RepositoryLock;
  /** Contract: throws NESTED inside a session of this repository. */
  requireOutside(): void;
}

export async function openRuns(settings: Settings): Promise<RunsProject> {
  const { env } = settings;
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env });
  const { top, common_dir } = await git.locate();
  const repository = repositoryLayout(common_dir);
  const config = await configStore({ place, env, flags: [] })
    .load()
    .catch(() => null);
  const worktrees = config?.sandbox.root ?? join(stateHome(env), 'worktrees');
  return {
    git,
    records: runRecords(repository),
    files: runFiles({
      repository,
      project: place,
      worktreesDir: join(worktrees, placeName(common_dir)),
    }),
    processes: runProcesses(async (worktree) => {
      const found = await realFolder(worktree).then(
        (projectDir) => locateOrNull(gitAdapter({ projectDir, env })),
        () => null,
      );
      return found?.git_dir ?? null;
    }),
    lock: repositoryLock({
      file: repository.lock,
      root: common_dir,
      quarantineDir: repository.quarantineDir,
      clock: systemClock(),
      onNote: (message) => {
        if (!settings.quiet) settings.streams.err(`note: ${message}\n`);
      },
    }),
    requireOutside: () => requireOutside(settings, { top, repository: placeName(common_dir) }),
  };
}
