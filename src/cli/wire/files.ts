/** The smaller composition root, for commands that only read files or write a few of them: quick to load. */
import { systemClock } from '../../adapters/files/clock.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import { placeName } from '../../adapters/files/state-home.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import type { InitPorts } from '../../app/init.ts';
import type { CheckPorts } from '../../app/views/validate.ts';
import { RunnerError } from '../../core/errors.ts';
import type { GitPort } from '../../ports/git.ts';
import type { RepositoryLock, RunRecords } from '../../ports/runs.ts';
import type { Lock } from '../../ports/sessions.ts';
import type { Settings } from '../output/streams.ts';
import { locateOrNull } from './locate.ts';
import { stateOf } from './state.ts';

export interface ProjectFiles extends InitPorts, CheckPorts {
  readonly git: GitPort | null;
  /** Contract: inside a git work tree takes its lock; elsewhere there is nothing to share. */
  lockForWriting(command: string): Promise<() => Promise<void>>;
}

/** The project folder, and the work tree around it if there is one. */
async function locateProject(settings: Settings) {
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env: settings.env });
  return { place, git, found: await locateOrNull(git) };
}

export async function openFiles(settings: Settings): Promise<ProjectFiles> {
  const { place, git, found } = await locateProject(settings);
  return {
    workspace: workspace(place.projectDir),
    ...stateOf(settings, place),
    goals: goalStore(place),
    git: found === null ? null : git,
    lockForWriting: async (command) => {
      if (found === null) return async () => {};
      requireOutside(settings, { top: found.top, repository: placeName(found.common_dir) });
      return (await lockOf(settings, found.git_dir)).acquire(command);
    },
  };
}

/** Loaded when it is needed: most commands take no lock. */
export async function lockOf(settings: Settings, gitDir: string): Promise<Lock> {
  const { workTreeLock } = await import('../../adapters/processes/lock.ts');
  const own = privateLayout(gitDir);
  return workTreeLock({
    file: own.lock,
    root: gitDir,
    quarantineDir: own.quarantineDir,
    clock: systemClock(),
    onNote: (message) => {
      if (!settings.quiet) settings.streams.err(`note: ${message}\n`);
    },
  });
}

/** The records of background runs, and the short lock of all work trees (§13). */
export async function runsOf(
  settings: Settings,
  commonDir: string,
): Promise<{ readonly records: RunRecords; readonly repositoryLock: RepositoryLock }> {
  const { runRecords } = await import('../../adapters/runs/records.ts');
  const { repositoryLock } = await import('../../adapters/runs/repository-lock.ts');
  const place = repositoryLayout(commonDir);
  return {
    records: runRecords(place),
    repositoryLock: repositoryLock({
      file: place.lock,
      root: commonDir,
      quarantineDir: place.quarantineDir,
      clock: systemClock(),
      onNote: (message) => {
        if (!settings.quiet) settings.streams.err(`note: ${message}\n`);
      },
    }),
  };
}

/** A session must not drive the runner that started it, nor one in another work tree of its repository (§7). */
export function requireOutside(
  { env }: Settings,
  place: { readonly top: string; readonly repository: string },
): void {
  const { RUNNER_RUN_ID: run, RUNNER_WORK_TREE: workTree, RUNNER_REPOSITORY: repository } = env;
  if (run === undefined) return;
  const isElsewhere = workTree !== undefined && workTree !== place.top && repository !== place.repository;
  if (isElsewhere) return;
  const where = workTree === undefined || workTree === place.top ? 'work tree' : 'repository';
  throw new RunnerError({
    code: 'NESTED',
    message: `this command runs inside a session of run ${run}, in the same ${where}`,
    hint: 'run it outside the session; inside, only read-only commands work',
  });
}
