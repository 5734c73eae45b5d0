/** `runner eval clean <case…>`: removes results and workspaces of exactly these cases. */
import { cleanCases } from '../../eval/harness/clean.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openEval } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const place = await openEval(settings, call);
  for (const { case_id, workspaces, results } of await cleanCases(place, call.args)) {
    printLine(settings, `clean: case=${case_id} workspaces=${workspaces} results=${results}`, {
      command: 'eval clean',
      case_id,
      workspaces,
      results,
    });
  }
  return exitCodes.ok;
}
