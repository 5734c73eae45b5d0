/**
 * Copies result folders of other machines into `eval/results`. The sources are only read; a trial appears under its name once
 * it is complete, so that an interrupted merge can be run again.
 */
import { promises, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../adapters/files/clock.ts';
import { diskError } from '../../adapters/files/disk-error.ts';
import { ensureDir } from '../../adapters/files/files.ts';
import { isFolder } from '../../adapters/files/look-at.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { RunnerError } from '../../core/errors.ts';
import { planMerge } from '../report/merge.ts';
import type { MergeCopy, MergePlan, ResultSet } from '../report/merge.ts';
import { checkIdle } from './batch-lock.ts';
import { makeEvalFolders } from './place.ts';
import type { EvalFolders } from './place.ts';
import { evalResults, loadBatches, loadTrials } from './results.ts';

export interface MergeRequest {
  readonly place: EvalFolders;
  /** Folders of results, or folders with `eval/results` in them; absolute. */
  readonly dirs: readonly string[];
  readonly batch_id: string | null;
}

export interface Merged {
  readonly batches: MergePlan['batches'];
  readonly warnings: readonly string[];
}

/** Throws EVAL_BATCH_CONFLICT and LOCKED before anything is written; USAGE, DISK, LAYOUT_INVALID. */
export async function mergeResults({ place, dirs, batch_id }: MergeRequest): Promise<Merged> {
  const target = await loadSet(place.resultsDir, place.root);
  const sources: LoadedSet[] = [];
  for (const dir of dirs) sources.push(await loadSource(dir, place));
  const merged = planMerge({ target, sources, batch_id });
  if (!merged.ok) {
    throw new RunnerError({
      code: 'EVAL_BATCH_CONFLICT',
      message: merged.message,
      details: merged.details,
      hint: 'runner explain EVAL_BATCH_CONFLICT',
    });
  }
  const { batches, orphans } = merged.plan;
  await checkIdle(
    place,
    batches.map(({ batch }) => batch),
    systemClock(),
  );
  await makeEvalFolders(place);
  for (const { batch, copies } of batches) {
    for (const copy of copies) await copyTrial(place, copy);
    // Last: a batch that is there speaks of trials that are there.
    await evalResults(place).saveBatch(batch);
  }
  return {
    batches,
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...orphans.map((dir) => `skipped ${dir}: there is no file of its batch`),
    ],
  };
}

interface LoadedSet extends ResultSet {
  readonly warnings: readonly string[];
}

async function loadSet(resultsDir: string, root: string): Promise<LoadedSet> {
  const { batches, warnings } = await loadBatches({ resultsDir, root });
  const read = await loadTrials({ resultsDir, root });
  return { batches, trials: read.trials, warnings: [...warnings, ...read.warnings] };
}

async function loadSource(dir: string, place: EvalFolders): Promise<LoadedSet> {
  const folder = await realFolder(dir, 'runner eval merge <dir> with a folder that exists');
  const inner = join(folder, 'eval', 'results');
  const resultsDir = isFolder(inner) ? inner : folder;
  if (resultsDir === place.resultsDir) {
    throw new RunnerError({
      code: 'USAGE',
      message: `${dir} is where the results go`,
      hint: 'runner eval merge <dir> with results of another folder',
    });
  }
  const read = await loadSet(resultsDir, resultsDir);
  if (read.batches.length > 0) return read;
  throw new RunnerError({
    code: 'EVAL_BATCH_UNKNOWN',
    message: `${dir} holds no results: no file in it ends in .batch.json`,
    details: read.warnings,
    hint: 'runner eval merge <dir> with the eval/results of another machine',
  });
}

async function copyTrial({ root, resultsDir }: EvalFolders, { from, meta }: MergeCopy): Promise<void> {
  const folder = join(resultsDir, meta.case_id);
  const stage = join(folder, `.merge-${meta.eval_run_id}`);
  const to = join(folder, meta.eval_run_id);
  await ensureDir(folder, { root });
  try {
    rmSync(stage, { recursive: true, force: true });
    await promises.cp(from.dir, stage, { recursive: true, filter: isPlain });
    await replaceFile(join(stage, 'meta.json'), renderJson(meta), { root });
    // A folder without a record is a trial that never ended.
    rmSync(to, { recursive: true, force: true });
    renameSync(stage, to);
  } catch (cause) {
    throw diskError({ action: 'copy to', path: to, cause });
  }
}

/** Links of another machine could lead anywhere on this one. */
async function isPlain(path: string): Promise<boolean> {
  const stats = await promises.lstat(path);
  return stats.isFile() || stats.isDirectory();
}
