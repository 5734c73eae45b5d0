/** `runner validate`: every check of the files, read-only. */
import { validate } from '../../app/views/validate.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printValidation } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openChecks } from '../wire/validate.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const allowPassedEdits = call.options['allowPassedEdits'] === true;
  printValidation(settings, await validate(await openChecks(settings), { allowPassedEdits }));
  return exitCodes.ok;
}
