/** `runner eval list`: lists the cases and explains invalid case files. Changes nothing. */
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { chooseCases, loadCases } from '../../eval/harness/case-files.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { listOption, openEval } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const place = await openEval(settings, call);
  const loaded = await loadCases(place);
  for (const { case: item, file } of chooseCases(loaded, { ids: [], tags: listOption(call, 'tag') })) {
    const { id, tags, checks, oracle, requires, description } = item;
    printLine(
      settings,
      `list: case=${id} checks=${checks.length} oracle=${oracle === null ? 'no' : 'yes'} tags=${word(tags.join(','))}`,
      {
        command: 'eval list',
        case_id: id,
        description,
        tags,
        requires,
        checks: checks.length,
        oracle: oracle !== null,
        file,
      },
    );
  }
  const { cases, problems } = loaded;
  if (problems.length > 0) {
    throw new RunnerError({
      code: 'EVAL_CASE_INVALID',
      message: `${problems.length} case ${problems.length === 1 ? 'file has' : 'files have'} problems`,
      details: problems.flatMap(({ lines }) => lines),
      hint: 'correct them, then run: runner eval list',
    });
  }
  if (cases.length === 0 && !settings.quiet)
    settings.streams.err(`note: there is no case in ${place.casesDir}; docs/eval.md says how to write one\n`);
  if (
    !settings.quiet &&
    call.options['cases'] === undefined &&
    place.casesDir !== join(place.root, 'eval', 'cases')
  ) {
    settings.streams.err(
      `note: there is no eval/cases here; these cases ship with runner (${place.casesDir})\n`,
    );
  }

  return exitCodes.ok;
}
