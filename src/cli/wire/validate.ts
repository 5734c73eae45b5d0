/** The composition root of `validate`: files, and a few questions to git. */
import { goalStore } from '../../adapters/project/goal-store.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { layout } from '../../adapters/files/layout.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import type { ValidatePorts } from '../../app/views/validate.ts';
import type { Settings } from '../output/streams.ts';
import { locateOrNull } from './locate.ts';
import { stateOf } from './state.ts';

export async function openChecks(settings: Settings): Promise<ValidatePorts> {
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env: settings.env });
  const found = await locateOrNull(git);
  return {
    workspace: workspace(place.projectDir),
    ...stateOf(settings, place),
    goals: goalStore(place),
    git: found === null ? null : git,
  };
}
