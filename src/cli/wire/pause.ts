/** The composition root of `runner pause`: the flag and the lock of a work tree, this one or that of a background run. */
import { layout, privateLayout, repositoryLayout } from '../../adapters/files/layout.ts';
import { placeName } from '../../adapters/files/state-home.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import { waitForRelease } from '../../adapters/processes/lock-holder.ts';
import { pauseFlag } from '../../adapters/project/pause-flag.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { runRecords } from '../../adapters/runs/records.ts';
import { RunnerError } from '../../core/errors.ts';
import type { Settings } from '../output/streams.ts';
import { requireOutside } from './files.ts';
import { loopHolder } from './person.ts';
import { folderOf } from './questions.ts';

export interface PauseTarget {
  /** Null: no run is checked out there. */
  readonly run_id: string | null;
  /** Contract: the flag is set; false: no loop is at work, and nothing was written. */
  request(): Promise<boolean>;
  /** Contract: returns when the loop that was at work no longer is. */
  ended(): Promise<void>;
}

export async function openPause(settings: Settings, runId: string | null): Promise<PauseTarget> {
  const here = layout(await realFolder(settings.directory)).projectDir;
  const git = gitAdapter({ projectDir: here, env: settings.env });
  const { top, common_dir } = await git.locate();
  requireOutside(settings, { top, repository: placeName(common_dir) });
  const branch = await git.headBranch();
  const isHere = runId === null || branch === `runner/${runId}`;
  const projectDir = isHere ? here : await folderOfRun(common_dir, runId);
  const there = gitAdapter({ projectDir, env: settings.env });
  const own = privateLayout((await there.locate()).git_dir);
  const runBranch = await there.headBranch();
  let first = await loopHolder(own.lock);
  return {
    run_id: runBranch?.startsWith('runner/') === true ? runBranch.slice('runner/'.length) : runId,
    request: async () => {
      first = await loopHolder(own.lock);
      if (first === null) return false;
      await pauseFlag(own).set();
      return true;
    },
    ended: async () => {
      if (first !== null) await waitForRelease(own.lock, first);
    },
  };
}

async function folderOfRun(commonDir: string, runId: string): Promise<string> {
  const found = await runRecords(repositoryLayout(commonDir)).load(runId);
  const folder = found === null ? null : folderOf(found);
  if (folder !== null) return folder;
  throw new RunnerError({
    code: 'USAGE',
    message: `there is no work tree of a run '${runId}'`,
    hint: 'runner run list',
  });
}
