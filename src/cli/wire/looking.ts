/** The composition root of commands that show a run, even while it is at work: no lock is taken, nothing is written. */
import { systemClock } from '../../adapters/files/clock.ts';
import { editQueue } from '../../adapters/project/edit-queue.ts';
import { sidecars } from '../../adapters/project/sidecars.ts';
import { join } from 'node:path';
import { gitAdapter } from '../../adapters/git/git.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { iterationReader } from '../../adapters/project/iteration-reader.ts';
import { pauseFlag } from '../../adapters/project/pause-flag.ts';
import { loadRunNote } from '../../adapters/project/run-note-file.ts';
import { journalStore } from '../../adapters/project/journal-store.ts';
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import { lookAt } from '../../adapters/files/look-at.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { loadHolder } from '../../adapters/processes/lock-holder.ts';
import { realFolder, workspace } from '../../adapters/project/workspace.ts';
import type { LogPorts } from '../../app/views/log.ts';
import type { StatusPorts } from '../../app/views/status.ts';
import { fittingHint } from '../../core/config/setting-hint.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Sidecars } from '../../ports/stores.ts';
import type { Settings } from '../output/streams.ts';
import { locateOrNull, requireHere } from './locate.ts';
import { stateOf } from './state.ts';

export async function openLook(
  settings: Settings,
): Promise<StatusPorts & LogPorts & { readonly sidecars: Sidecars }> {
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
    fitHint: fittingHint({ env: settings.env, flags: [] }),
    hasher: systemHasher(),
    sidecars: sidecars(place),
    queue: found && editQueue(privateLayout(found.git_dir), systemClock()),
    iterations: iterationReader(
      found === null
        ? place
        : layout(place.projectDir, undefined, [repositoryLayout(found.common_dir).logPlace]),
    ),
    workTree: found && {
      git,
      lock: { holder: () => loadHolder(privateLayout(found.git_dir).lock) },
      journal: journalStore({ own: privateLayout(found.git_dir), env: settings.env }),
      loadNote: loadRunNote({ own: privateLayout(found.git_dir), prefix: found.prefix }),
      isPausing: () => pauseFlag(privateLayout(found.git_dir)).isSet(),
      prefix: found.prefix,
    },
  };
}

/** The same for a run that is named: that of a background run is where it works, as long as its work tree is there. */
export async function openRunLook(
  settings: Settings,
  runId: string | null,
): Promise<Awaited<ReturnType<typeof openLook>>> {
  const elsewhere = runId === null ? null : await findRunFolder(settings, runId);
  return openLook(elsewhere === null ? settings : { ...settings, directory: elsewhere });
}

async function findRunFolder({ directory, env }: Settings, runId: string): Promise<string | null> {
  const found = await locateOrNull(gitAdapter({ projectDir: await realFolder(directory), env }));
  if (found === null) return null;
  const record = await runRecords(repositoryLayout(found.common_dir)).load(runId);
  if (record?.kind !== 'record' || record.record.worktree === null) return null;
  const folder = join(record.record.worktree, record.record.prefix);
  return lookAt(layout(folder).root)?.isDirectory() === true ? folder : null;
}
