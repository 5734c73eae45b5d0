/** The composition root of the commands that end whole runs: `finish`, `update`, `abandon`, `clean`. */
import { join } from 'node:path';
import { systemClock } from '../../adapters/files/clock.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import type { Layout } from '../../adapters/files/layout.ts';
import { placeName, stateHome } from '../../adapters/files/state-home.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { configStore } from '../../adapters/project/config-store.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { runLeftovers } from '../../adapters/runs/leftovers.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { repositoryLock } from '../../adapters/runs/repository-lock.ts';
import type { EndingPorts } from '../../app/runs/whole-run.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { auditPorts } from './audit.ts';
import { lockOf, requireOutside } from './files.ts';
import { openProject } from './iteration.ts';
import type { Opening } from './iteration.ts';

export async function openEnding(
  settings: Settings,
  call: CommandCall,
  command: Opening['command'],
): Promise<EndingPorts> {
  const { env } = settings;
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env });
  const { top, common_dir, prefix } = await git.locate();
  const repository = placeName(common_dir);
  requireOutside(settings, { top, repository });
  const shared = repositoryLayout(common_dir);
  const clock = systemClock();
  const note = (message: string): void => {
    if (!settings.quiet) settings.streams.err(`note: ${cleanLine(message)}\n`);
  };
  /** A checkout need not have the project folder. */
  const folderAt = (path: string): Promise<string> => realFolder(join(path, prefix)).catch(() => path);
  const gitDirOf = async (path: string): Promise<string> =>
    (await gitAdapter({ projectDir: await folderAt(path), env }).locate()).git_dir;
  /** Git folder of the work tree whose lock this process holds. */
  let held: string | null = null;
  return {
    git,
    endings: git.endings,
    records: runRecords(shared),
    repositoryLock: repositoryLock({
      file: shared.lock,
      root: common_dir,
      quarantineDir: shared.quarantineDir,
      clock,
      onNote: note,
    }),
    leftovers: runLeftovers({
      repository: shared,
      worktreesDir: await ownFolders(settings, place, repository),
    }),
    clock,
    note,
    audit: auditPorts({ git, projectDir: place.projectDir, prefix, common_dir }),
    inPlace: async (path, work) => {
      const directory = path === null ? settings.directory : await folderAt(path);
      const project = await openProject({ ...settings, directory }, call, { command, reporters: [] });
      held = (await project.ports.git.locate()).git_dir;
      try {
        return await work(project);
      } finally {
        held = null;
        project.close();
      }
    },
    openRunAt: async (path) => {
      const own = privateLayout(await gitDirOf(path));
      return (await journalStore({ own, env }).peek())?.run_id ?? null;
    },
    holdWorkTree: async (path, named, work) => {
      const gitDir = await gitDirOf(path);
      if (gitDir === held) return work();
      const release = await (await lockOf(settings, gitDir)).acquire(named);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}

/** Where background runs have their work trees, without links as git names them. */
async function ownFolders({ env }: Settings, place: Layout, repository: string): Promise<string> {
  const config = await configStore({ place, env, flags: [] })
    .load()
    .catch(() => null);
  const folder = join(config?.sandbox.root ?? join(stateHome(env), 'worktrees'), repository);
  return realFolder(folder).catch(() => folder);
}
