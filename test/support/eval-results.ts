/** Folders of results as `eval run` leaves them, made by hand: a batch file, and a folder for each trial. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variantLabel } from '../../src/eval/cases/names.ts';
import type { Batch, TrialRecord } from '../../src/eval/cases/types.ts';
import { batchWith } from './trials.ts';

/** Six letters for a number: every trial has a folder of its own. */
function suffixAt(index: number): string {
  return index.toString(36).padStart(6, '0');
}

let planted = 0;

/** `root`: the folder that `-C` names. Cases, variants and repeats of the plan are those of the trials. */
export function plantBatch(
  root: string,
  trials: readonly TrialRecord[],
  changes: Partial<Batch> = {},
): Batch {
  const results = join(root, 'eval', 'results');
  const metas = trials.map(({ meta }) => meta);
  const variants = new Map(metas.map(({ variant }) => [variantLabel(variant), variant]));
  const batch = batchWith({
    plan: {
      cases: [...new Set(metas.map(({ case_id }) => case_id))].map((id) => ({ id, hash: 'a'.repeat(64) })),
      variants: [...variants.values()],
      repeats: Math.max(1, ...metas.map(({ repeat }) => repeat)),
      record: false,
    },
    ...changes,
  });
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, `${batch.batch_id}.batch.json`), JSON.stringify(batch));
  for (const { meta, checks } of trials) {
    planted += 1;
    const eval_run_id = `eval-20260131_010000-${suffixAt(planted)}`;
    const dir = join(results, meta.case_id, eval_run_id);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'checks.json'), JSON.stringify({ checks }));
    const own = { ...meta, eval_run_id, batch_id: batch.batch_id };
    writeFileSync(join(dir, 'meta.json'), JSON.stringify(own));
  }
  return batch;
}
