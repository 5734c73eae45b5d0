/** The composition root of background runs (§13): what `run start` and the run's own process act through. */
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { requireInstalled } from '../../adapters/agents/agent-program.ts';
import { executorTable } from '../../adapters/agents/executors/table.ts';
import { secretRedactor } from '../../adapters/agents/secret-values.ts';
import { systemClock } from '../../adapters/files/clock.ts';
import { saveFile } from '../../adapters/files/files.ts';
import { makePrivateFolder } from '../../adapters/files/folders.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import type { RepositoryLayout } from '../../adapters/files/layout.ts';
import { lookAt } from '../../adapters/files/look-at.ts';
import { placeName, stateHome } from '../../adapters/files/state-home.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { workTrees } from '../../adapters/git/worktrees.ts';
import { sweepWorkTree } from '../../adapters/processes/sweep.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { configStore } from '../../adapters/project/config-store.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { startDetached } from '../../adapters/runs/detached.ts';
import { layFiles } from '../../adapters/runs/laid-files.ts';
import { openProgressLog } from '../../adapters/runs/progress-log.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { repositoryLock } from '../../adapters/runs/repository-lock.ts';
import { slots } from '../../adapters/runs/slots.ts';
import type { BeginPorts } from '../../app/runs/begin-run.ts';
import { handOver } from '../../app/runs/hand-over.ts';
import type { Readiness } from '../../app/runs/setup.ts';
import { unknown } from '../../app/runs/work.ts';
import type { WorkPorts } from '../../app/runs/work.ts';
import { RunnerError } from '../../core/errors.ts';
import type { RunStarter } from '../../ports/runs.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { requireOutside } from './files.ts';
import { openProject } from './iteration.ts';
import type { Signals } from './iteration.ts';
import { requireHere } from './locate.ts';

async function openRepository(settings: Settings) {
  const clock = systemClock();
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env: settings.env });
  const { top, common_dir } = await git.locate();
  const repository = repositoryLayout(common_dir);
  const records = runRecords(repository);
  const lock = repositoryLock({
    file: repository.lock,
    root: common_dir,
    quarantineDir: repository.quarantineDir,
    clock,
    onNote: () => {},
  });
  return { clock, place, git, top, repository, records, lock };
}

/** Throws NESTED inside a session of this repository. */
export async function openBegin(
  settings: Settings,
  { overrides }: Pick<CommandCall, 'overrides'>,
): Promise<BeginPorts> {
  const { env, entryFile } = settings;
  const { place, top, repository, ...shared } = await openRepository(settings);
  const { projectDir } = place;
  requireOutside(settings, { top, repository: placeName(repository.commonDir) });
  await requireHere(projectDir, top);
  return {
    ...shared,
    configs: configStore({ place, env, flags: overrides }),
    goals: goalStore(place),
    hasher: systemHasher(),
    workTrees: workTrees({ projectDir, env }),
    requireAgent: (config) =>
      requireInstalled({ place, env }, { spec: executorTable(entryFile)[config.agent.name], config }),
    placeOf: (runId, config) => placeOf({ env, repository, top, root: config.sandbox.root }, runId),
    layFiles: async (worktree, goal) => {
      const to = join(worktree, projectDir.slice(top.length));
      const laid = await layFiles({ from: projectDir, to });
      if (goal === null) return laid;
      await saveFile(layout(to).goal, goal, { root: worktree });
      return laid.filter((path) => path !== 'GOAL.md');
    },
  };
}

interface Ground {
  readonly env: Settings['env'];
  readonly repository: RepositoryLayout;
  readonly top: string;
  readonly root: string | null;
}

/** A work tree inside the repository would see its node_modules and be removed by `git clean` (§13.1). */
function placeOf({ env, repository, top, root }: Ground, runId: string): string {
  const folder = makePrivateFolder(
    join(root ?? join(stateHome(env), 'worktrees'), placeName(repository.commonDir)),
  );
  if (!`${folder}${sep}`.startsWith(`${top}${sep}`)) return join(folder, runId);
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `the work trees of background runs would be inside the repository: ${folder}`,
    hint: 'runner config set sandbox.root /var/tmp/runs',
  });
}

/** Starts the processes of runs, detached from this one. */
export async function openStarter(settings: Settings): Promise<RunStarter> {
  const { repository, records, lock, place } = await openRepository(settings);
  const { env, entryFile } = settings;
  return {
    start: async (run_id) => {
      const owner = await startDetached(repository, { run_id, entryFile, directory: place.projectDir, env });
      await handOver({ records, lock }, { run_id, owner });
    },
  };
}

export interface WorkWire {
  readonly signals: Signals;
  /** For `--wait`: reports to people as well. */
  readonly isLive: boolean;
  readonly onStep: WorkPorts['onStep'];
}

/** Throws RUN_UNKNOWN. */
export async function openWork(
  settings: Settings,
  runId: string,
  { signals, isLive, onStep }: WorkWire,
): Promise<WorkPorts & { close(): void }> {
  const { env } = settings;
  const { clock, place, top, repository, records, lock } = await openRepository(settings);
  // Before anything is named after it.
  if ((await records.load(runId)) === null) throw unknown(runId);
  const { interrupts } = signals;
  const config = await configStore({ place, env, flags: [] })
    .load()
    .catch(() => null);
  const redact = (text: string): string => secretRedactor(env)().redact(text);
  const log = await openProgressLog(repository, { run_id: runId, clock, redact });
  return {
    clock,
    interrupts,
    records,
    lock,
    log,
    redact,
    onStep,
    waiter: waiter({ clock, interrupts }),
    slots: slots({ env, clock }),
    workTrees: workTrees({ projectDir: place.projectDir, env }),
    maxParallel: config?.automation.max_parallel ?? availableParallelism(),
    parentPid: process.ppid,
    placeOf: (id) => placeOf({ env, repository, top, root: config?.sandbox.root ?? null }, id),
    open: async ({ worktree, prefix, settings: given }, { env: slot, reporter }) => {
      const directory = join(worktree ?? '', prefix);
      const own = {
        ...settings,
        directory,
        env: { ...env, ...given, ...slot },
        quiet: settings.quiet || !isLive,
      };
      const project = await openProject(
        own,
        { overrides: [] },
        { command: 'loop', reporters: [], followers: [reporter], logs: repository.logPlace, signals },
      );
      const found = await project.ports.git.locate();
      return { ports: project.ports, readiness: readiness(found), close: () => project.close() };
    },
    close: () => log.close(),
  };
}

/** In the work tree's own git folder, so that it goes with the work tree. */
function readiness({ git_dir, top }: { readonly git_dir: string; readonly top: string }): Readiness {
  const file = join(privateLayout(git_dir).root, 'ready');
  return {
    isReady: async () => lookAt(file)?.isFile() === true,
    setReady: () => saveFile(file, '', { root: git_dir }),
    endLeftovers: () => sweepWorkTree(top),
  };
}
