/** `runner eval import <dir...>`: cases from task folders of other benchmarks. Writes case files; runs nothing of a task. */
import { resolve } from 'node:path';
import { realFolder } from '../../adapters/project/workspace.ts';
import { findTasks, importFolder } from '../../eval/harness/import-tasks.ts';
import { exitCodes } from '../exit-codes.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openOwnEval } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const place = await openOwnEval(settings, call);
  const dirs: string[] = [];
  for (const dir of call.args)
    dirs.push(...(await findTasks(await realFolder(resolve(settings.directory, dir)))));

  const makeBelow = call.options['cases'] === undefined ? place.root : null;
  const given = { casesDir: place.casesDir, makeBelow, force: call.options['force'] === true };
  for (const dir of dirs) {
    const { id, file, hasOracle, requires, notes } = await importFolder(dir, given);
    if (!settings.quiet) for (const note of notes) settings.streams.err(`note: ${id}: ${cleanLine(note)}\n`);
    printLine(
      settings,
      `import: case=${id} file=${word(file)} oracle=${hasOracle ? 'yes' : 'no'} requires=${word(requires.join(','))} notes=${notes.length}`,
      { command: 'eval import', case_id: id, file, oracle: hasOracle, requires, notes },
    );
  }
  const warning = 'scripts of a task run on this machine, not in its container: read them first';
  if (!settings.quiet) settings.streams.err(`note: ${warning}\n`);
  return exitCodes.ok;
}
