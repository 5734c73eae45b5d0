/** `runner eval merge <dir…>`: results of other machines become results of this folder. The folders named are only read. */
import { resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { isBatchId } from '../../eval/cases/names.ts';
import { mergeResults } from '../../eval/harness/merge.ts';
import type { Merged } from '../../eval/harness/merge.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openEval, printWarnings } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const place = await openEval(settings, call);
  const { batches, warnings } = await mergeResults({
    place,
    dirs: call.args.map((dir) => resolve(settings.directory, dir)),
    batch_id: batchOption(call),
  });
  printWarnings(settings, warnings);
  for (const merged of batches) printMerged(settings, merged);
  if (!settings.quiet && mayBelongTogether(batches))
    settings.streams.err('note: these look like shards of one batch; --batch <name> makes them one\n');

  return exitCodes.ok;
}

function batchOption({ options }: CommandCall): string | null {
  const { batch } = options;
  if (typeof batch !== 'string') return null;
  if (isBatchId(batch)) return batch;
  throw new RunnerError({
    code: 'USAGE',
    message: `--batch must be up to 64 letters, digits, "_" and "-", and not latest; it is '${batch}'`,
    hint: 'runner eval merge --batch nightly <dir>',
  });
}

function printMerged(
  settings: Settings,
  { batch, copies, kept, duplicates }: Merged['batches'][number],
): void {
  const { cases, variants, repeats } = batch.plan;
  const trials = kept + copies.length;
  const missing = Math.max(0, cases.length * variants.length * repeats - trials);
  printLine(
    settings,
    `merge: batch=${batch.batch_id} trials=${trials} added=${copies.length} duplicates=${duplicates} missing=${missing}`,
    {
      command: 'eval merge',
      batch_id: batch.batch_id,
      trials,
      added: copies.length,
      duplicates,
      missing,
      shards: batch.shards,
    },
  );
}

function mayBelongTogether(batches: Merged['batches']): boolean {
  const plans = batches
    .filter(({ batch }) => batch.shards !== null)
    .map(({ batch }) => JSON.stringify(batch.plan));
  return new Set(plans).size < plans.length;
}
