/** `runner validate`: every check of the files, read-only. */
import { validate } from '../../app/views/validate.ts';
import { exitCodes } from '../exit-codes.ts';
import { printValidation } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openChecks } from '../wire/validate.ts';

export async function run(settings: Settings): Promise<number> {
  printValidation(settings, await validate(await openChecks(settings)));
  return exitCodes.ok;
}
