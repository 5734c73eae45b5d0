/** The composition root of commands that show a run, even while it is at work: no lock is taken, nothing is written. */
import { gitAdapter } from '../../adapters/git/git.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { iterationReader } from '../../adapters/project/iteration-reader.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import { loadHolder } from '../../adapters/processes/lock-holder.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import type { LogPorts } from '../../app/views/log.ts';
import type { StatusPorts } from '../../app/views/status.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Settings } from '../output/streams.ts';
import { locateOrNull, requireHere } from './locate.ts';
import { stateOf } from './state.ts';

export async function openLook(settings: Settings): Promise<StatusPorts & LogPorts> {
  const place = layout(await realFolder(settings.directory));
  const git = gitAdapter({ projectDir: place.projectDir, env: settings.env });
  const found = await locateOrNull(git);
  if (found !== null) await requireHere(place.projectDir, found.top);
  const files = workspace(place.projectDir);
  if ((await files.kind()) !== 'folder') {
    throw new RunnerError({
      code: 'LAYOUT_MISSING',
      message: `there is no .runner/ in ${place.projectDir}`,
      hint: 'runner init',
    });
  }
  return {
    ...stateOf(settings, place),
    workspace: files,
    hasher: systemHasher(),
    iterations: iterationReader(
      found === null
        ? place
        : layout(place.projectDir, undefined, [repositoryLayout(found.common_dir).logPlace]),
    ),
    workTree: found && {
      git,
      lock: { holder: () => loadHolder(privateLayout(found.git_dir).lock) },
      journal: journalStore({ own: privateLayout(found.git_dir), env: settings.env }),
      prefix: found.prefix,
    },
  };
}
