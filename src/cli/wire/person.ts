/** The composition root of the commands by which a person changes settings or nodes between iterations. */
import { configFile, configStore } from '../../adapters/project/config-store.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { systemClock } from '../../adapters/files/clock.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { editQueue } from '../../adapters/project/edit-queue.ts';
import { sidecars } from '../../adapters/project/sidecars.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import type { PrivateLayout } from '../../adapters/files/layout.ts';
import { loadHolder } from '../../adapters/processes/lock-holder.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import type { ReadPorts } from '../../app/person/config.ts';
import type { LockedPorts } from '../../app/person/queue.ts';
import { RunnerError } from '../../core/errors.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { LockHolder } from '../../ports/sessions.ts';
import type { EditQueue } from '../../ports/steer.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openFiles } from './files.ts';
import { requireHere } from './locate.ts';

export interface PersonProject extends LockedPorts, ReadPorts {
  readonly projectDir: string;
  /** Null outside a git repository. */
  readonly own: PrivateLayout | null;
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
  const loopAtWork = async (): Promise<LockHolder | null> => (own === null ? null : loopHolder(own.lock));
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
    sidecars: sidecars(place),
    hasher: systemHasher(),
    queue: own === null ? noQueue : editQueue(own, systemClock()),
    note: (message) => {
      if (!settings.quiet) settings.streams.err(`note: ${cleanLine(message)}\n`);
    },
    loopAtWork,
    withLock: async (command, work) => {
      const release = await files.lockForWriting(command).catch(async (error: unknown) => {
        const isHeld = error instanceof RunnerError && error.code === 'LOCKED';
        // One of another host may be gone, and never hears of a pause.
        const isPausable = isHeld && (await loopAtWork())?.is_here === true;
        throw isPausable ? error.withHint('runner pause --wait') : error;
      });
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}

/** A loop, or a single step of one: both work through the queue and can be paused. */
export async function loopHolder(lockFile: string): Promise<LockHolder | null> {
  const holder = await loadHolder(lockFile);
  return holder !== null && /^runner (?:loop|step)$/u.test(holder.command) ? holder : null;
}

/** Outside a repository there is no loop to wait for, and nothing waits. */
const noQueue: EditQueue = {
  add: () => Promise.reject(new Error('there is no git folder')),
  list: () => Promise.resolve([]),
  remove: () => Promise.resolve(),
  listRefused: () => Promise.resolve([]),
};
