/** `runner eval compare <a> <b>`: two sets of trials side by side. Writes the files that `--reporter` names and nothing else. */
import { RunnerError } from '../../core/errors.ts';
import { splitSelector, variantLabel } from '../../eval/cases/names.ts';
import { evalResults } from '../../eval/harness/results.ts';
import type { LoadedBatch } from '../../eval/harness/results.ts';
import type { CompareSide } from '../../eval/report/compare.ts';
import { countPlanned } from '../../eval/report/report.ts';
import { cleanComparison, hashOf, showReport, wantedReports } from '../eval/reports.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openEval, printWarnings } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  // JUnit tests would belong to neither side.
  const wanted = wantedReports(settings, call, ['text', 'json', 'markdown', 'html']);
  const results = evalResults(await openEval(settings, call));
  const [selectorA = '', selectorB = ''] = call.args;
  const a = await results.loadBatch(selectorA);
  const b = await results.loadBatch(selectorB);
  checkOneVariant(selectorA, a);
  checkOneVariant(selectorB, b);
  // Both sides read the same folder.
  const warnings = [...new Set([...a.warnings, ...b.warnings])];
  printWarnings(settings, warnings);
  const report = cleanComparison(settings, {
    a: sideOf(selectorA, a),
    b: sideOf(selectorB, b),
    warnings,
  });
  await showReport(settings, wanted, report);
  return exitCodes.ok;
}

function sideOf(selector: string, loaded: LoadedBatch): CompareSide {
  const { variant } = splitSelector(selector);
  const { batch, trials } = loaded;
  const { missing } = countPlanned(batch, trials, { case_id: null, variant, hashOf });
  return { name: nameOf(selector, loaded), trials, missing };
}

/** Replaces `latest`, which names another batch tomorrow. */
function nameOf(selector: string, { batch }: LoadedBatch): string {
  const { variant } = splitSelector(selector);
  return variant === null ? batch.batch_id : `${batch.batch_id}@${variant}`;
}

/** Pairs are of the same case and repeat: with several variants a side would have several trials of each. */
function checkOneVariant(selector: string, { batch }: LoadedBatch): void {
  const labels = batch.plan.variants.map(variantLabel);
  if (splitSelector(selector).variant !== null || labels.length < 2) return;
  throw new RunnerError({
    code: 'USAGE',
    message: `the batch '${batch.batch_id}' has several variants; name the one to compare`,
    details: labels,
    hint: `runner eval compare ${batch.batch_id}@${labels[0]} ${batch.batch_id}@${labels[1]}`,
  });
}
