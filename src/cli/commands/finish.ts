/** `runner finish`: a run becomes one commit on its target. */
import { resolve } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { loadInput } from '../../adapters/processes/editor.ts';
import { folderOfNamed } from '../../adapters/project/workspace.ts';
import { finish } from '../../app/runs/finish.ts';
import type { EndingPorts } from '../../app/runs/whole-run.ts';
import type { PrdFile } from '../../app/runs/sync-prd.ts';
import { RunnerError } from '../../core/errors.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openEnding } from '../wire/ending.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const { into, merge, squash, partial, unproven, keepBranch, dryRun, sync } = call.options;
  if (merge === true && squash === true) {
    throw new RunnerError({
      code: 'USAGE',
      message: '--merge and --squash cannot be used together',
      hint: 'runner finish --merge, or: runner finish --squash',
    });
  }
  const ports = await openEnding(settings, call, 'finish');
  const outcome = await finish(ports, {
    word: call.args[0] ?? null,
    into: typeof into === 'string' ? into : null,
    mode: merge === true ? 'merge' : 'squash',
    isPartial: partial === true,
    isUnproven: unproven === true,
    keepBranch: keepBranch === true,
    isDryRun: dryRun === true,
    sync: typeof sync === 'string' ? prdFile(settings, sync) : null,
    by: 'cli',
  });
  const { run_id, commit, mode, leaves, changed_files, worktree_removed } = outcome;
  if (!settings.quiet) {
    if (outcome.rescued !== null)
      settings.streams.err(`note: uncommitted work is saved as ${outcome.rescued}\n`);
    if (worktree_removed !== null)
      settings.streams.err(`note: removed the work tree ${cleanLine(worktree_removed)}\n`);
    if (outcome.sync !== null) {
      const { synced, missing } = outcome.sync;
      settings.streams.err(
        `note: ${cleanLine(String(sync))} has ${synced.length} tasks of this run; commit it\n`,
      );
      for (const id of missing) settings.streams.err(`note: not in that file any more: ${cleanLine(id)}\n`);
    }
    if (commit !== null) await tellEnd(settings, ports, { run_id, into: outcome.into });
  }
  const fields = [
    `run=${word(run_id)} into=${word(outcome.into)} mode=${mode} commit=${word(commit?.slice(0, 12) ?? 'none')}`,
    `passed=${leaves.passed}/${leaves.all} files=${changed_files}`,
    `branch=${outcome.branch_deleted ? 'deleted' : 'kept'} archive=${word(outcome.archive ?? 'none')}`,
    ...(outcome.dry_run ? ['dry_run=true'] : []),
  ];
  printLine(settings, `finish: ${fields.join(' ')}`, { command: 'finish', ...outcome });
  return exitCodes.ok;
}

/** Where the work is, where the person is, and what only the person does. */
async function tellEnd(
  { streams }: Settings,
  { git }: EndingPorts,
  { run_id, into }: { readonly run_id: string; readonly into: string },
): Promise<void> {
  const branch = await git.headBranch().catch(() => null);
  const hasRemote = await git.pushAddress('origin').then(
    () => true,
    () => false,
  );
  const here = branch === null ? '' : `; checked out here: ${branch}`;
  streams.err(`${run_id} is finished, its work is on ${into}${here}\n`);
  if (hasRemote) streams.err(`nothing was pushed; to do it: git push -u origin ${into}\n`);
}

function prdFile({ directory }: Settings, name: string): PrdFile {
  const path = resolve(directory, name);
  return {
    name,
    load: () => loadInput(name, directory, 'runner finish --help'),
    save: async (text) => replaceFile(path, text, { root: await folderOfNamed(path) }),
  };
}
