/** The composition root of `validate`: files, and a few questions to git. */
import { checkScript } from '../../adapters/agents/script-file.ts';
import { goalStore } from '../../adapters/project/goal-store.ts';
import { gitReader } from '../../adapters/git/history/reading.ts';
import { layout, privateLayout } from '../../adapters/files/layout.ts';
import { cookieVariable } from '../../adapters/processes/process-table.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import type { ValidatePorts } from '../../app/views/validate.ts';
import type { Settings } from '../output/streams.ts';
import { locateOrNull } from './locate.ts';
import { stateOf } from './state.ts';

export async function openChecks(settings: Settings): Promise<ValidatePorts> {
  const place = layout(await realFolder(settings.directory));
  const git = gitReader({ projectDir: place.projectDir, env: settings.env });
  const found = await locateOrNull(git);
  return {
    workspace: workspace(place.projectDir),
    ...stateOf(settings, place),
    goals: goalStore(place),
    isOwnCommit: async () => {
      const cookie = settings.env[cookieVariable];
      if (found === null || cookie === undefined) return false;
      // Loaded when it is asked for: people wait for a hook.
      const { journalStore } = await import('../../adapters/project/journal-store.ts');
      const entry = await journalStore({ own: privateLayout(found.git_dir), env: settings.env }).peek();
      return entry?.kind === 'iteration' && entry.phase === 'persisting' && entry.cookie === cookie;
    },
    checkScript: (config) => checkScript(config, place.projectDir),
    git: found === null ? null : git,
  };
}
