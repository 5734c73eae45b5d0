/** `runner eval report [batch]`: what the trials of a batch say together. Writes the files that `--reporter` names and nothing else. */
import { RunnerError } from '../../core/errors.ts';
import { splitSelector } from '../../eval/cases/names.ts';
import { suggest } from '../../core/text/suggest.ts';
import type { Batch } from '../../eval/cases/types.ts';
import { evalResults } from '../../eval/harness/results.ts';
import { cleanBatch, showReport, wantedReports } from '../eval/reports.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openEval, printWarnings } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const wanted = wantedReports(settings, call);
  const selector = call.args[0] ?? 'latest';
  const loaded = await evalResults(await openEval(settings, call)).loadBatch(selector);
  const case_id = typeof call.options['case'] === 'string' ? call.options['case'] : null;
  if (case_id !== null) checkCase(loaded.batch, case_id);
  printWarnings(settings, loaded.warnings);
  const { variant } = splitSelector(selector);
  await showReport(settings, wanted, cleanBatch(settings, { ...loaded, case_id, variant }));
  return exitCodes.ok;
}

function checkCase({ batch_id, plan }: Batch, case_id: string): void {
  const ids = plan.cases.map(({ id }) => id);
  if (ids.includes(case_id)) return;
  const near = suggest(case_id, ids);
  throw new RunnerError({
    code: 'EVAL_CASE_UNKNOWN',
    message: `the batch '${batch_id}' has no case '${case_id}'${near === null ? '' : `; did you mean ${near}?`}`,
    details: ids,
    hint: `runner eval report ${batch_id}`,
  });
}
