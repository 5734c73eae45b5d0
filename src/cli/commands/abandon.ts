/** `runner abandon`: a run is given up, and nothing of it is lost. */
import { abandon } from '../../app/runs/abandon.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openEnding } from '../wire/ending.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const ports = await openEnding(settings, call, 'abandon');
  const keepBranch = call.options['keepBranch'] === true;
  const outcome = await abandon(ports, { word: call.args[0] ?? null, keepBranch, by: 'cli' });
  const { run_id, archive, back_to, rescued, worktree_removed } = outcome;
  if (!settings.quiet) {
    if (rescued !== null)
      settings.streams.err(`note: uncommitted work is saved as ${rescued}: runner rescue list\n`);
    if (worktree_removed !== null)
      settings.streams.err(`note: removed the work tree ${cleanLine(worktree_removed)}\n`);
    if (archive !== null) settings.streams.err(`its commits stay: git log ${archive}\n`);
  }
  const fields = [
    `run=${word(run_id)} branch=${outcome.branch_deleted ? 'deleted' : 'kept'} archive=${word(archive ?? 'none')}`,
    `back_to=${word(back_to ?? 'none')} rescued=${word(rescued ?? 'none')}`,
  ];
  printLine(settings, `abandon: ${fields.join(' ')}`, { command: 'abandon', ...outcome });
  return exitCodes.ok;
}
