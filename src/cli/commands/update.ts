/** `runner update`: the base branch comes into a run. */
import { update } from '../../app/runs/update.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openEnding } from '../wire/ending.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const ports = await openEnding(settings, call, 'update');
  const outcome = await update(ports, { word: call.args[0] ?? null });
  const { run_id, base, commit, changed_files } = outcome;
  printLine(
    settings,
    `update: run=${word(run_id)} base=${word(base)} commit=${word(commit?.slice(0, 12) ?? 'none')} files=${changed_files}`,
    { command: 'update', ...outcome },
  );
  return exitCodes.ok;
}
