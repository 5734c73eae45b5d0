/** The composition root of the commands by which a person changes settings or nodes between iterations. */
import { configFile, configStore } from '../../adapters/project/config-store.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import type { PrivateLayout } from '../../adapters/files/layout.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import type { ReadPorts } from '../../app/person/config.ts';
import type { NodePorts } from '../../app/person/node.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openFiles } from './files.ts';
import { requireHere } from './locate.ts';

export interface PersonProject extends NodePorts, ReadPorts {
  readonly projectDir: string;
  /** Null outside a git repository. */
  readonly own: PrivateLayout | null;
  /** Contract: the work runs under the lock, which is given back whatever happens. */
  withLock<T>(command: string, work: () => Promise<T>): Promise<T>;
}

export async function openPersonProject(
  settings: Settings,
  overrides: CommandCall['overrides'] = [],
): Promise<PersonProject> {
  const place = layout(await realFolder(settings.directory));
  const files = await openFiles(settings);
  const sources = { place, env: settings.env, flags: overrides };
  const where =
    files.git === null
      ? null
      : await gitAdapter({ projectDir: place.projectDir, env: settings.env }).locate();
  if (where !== null) await requireHere(place.projectDir, where.top);
  const own = where === null ? null : privateLayout(where.git_dir);
  return {
    workspace: files.workspace,
    runStates: files.runStates,
    goals: files.goals,
    trees: files.trees,
    git: files.git,
    configs: configStore(sources),
    configFile: configFile(sources),
    journal: own === null ? null : journalStore({ own, env: settings.env }),
    projectDir: place.projectDir,
    own,
    withLock: async (command, work) => {
      const release = await files.lockForWriting(command);
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}
