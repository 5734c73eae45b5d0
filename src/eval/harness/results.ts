/**
 * The records of trials and batches below `eval/results`. Every write is atomic, `meta.json` comes last, and an unreadable
 * record gives one warning and hides nothing else.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from '../../adapters/files/disk-error.ts';
import { ensureDir, listDir, loadText } from '../../adapters/files/files.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { RunnerError } from '../../core/errors.ts';
import {
  batchFileName,
  batchOfFile,
  isCaseId,
  isEvalRunId,
  latestWord,
  splitSelector,
  variantLabel,
} from '../cases/names.ts';
import { parseBatch, parseCheckResults, parseTrialMeta } from '../cases/records.ts';
import type { ReadRecord } from '../cases/records.ts';
import type { Batch, TrialMeta, TrialRecord } from '../cases/types.ts';
import { suggest } from '../../core/text/suggest.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';
import type { EvalFolders, ResultsFolders } from './place.ts';

export interface LoadedBatch {
  readonly batch: Batch;
  /** By case, variant, repeat, then id. */
  readonly trials: readonly TrialRecord[];
  /** Records that could not be read, one line each. */
  readonly warnings: readonly string[];
}

export interface EvalResults {
  /** Oldest first. */
  readonly listBatches: () => Promise<readonly Batch[]>;
  /** `<id>` or `latest`, with `@<variant label>` for one variant. Throws EVAL_BATCH_UNKNOWN. */
  readonly loadBatch: (selector: string) => Promise<LoadedBatch>;
  /** A file or a trial of a batch that cannot be loaded; null: there is none. */
  readonly findRemains: (batch_id: string) => Promise<string | null>;
  readonly saveBatch: (batch: Batch) => Promise<void>;
  /** A folder that was not there before. Throws DISK. */
  readonly makeTrialDir: (case_id: string, eval_run_id: string) => Promise<string>;
  /** `checks.json`, then `meta.json`. */
  readonly saveTrial: (record: Pick<TrialRecord, 'meta' | 'checks' | 'dir'>) => Promise<void>;
}

const recordBytesMax = 64 * 1024 * 1024;

export function evalResults(place: EvalFolders): EvalResults {
  const { root, resultsDir } = place;
  const below = { root };
  return {
    listBatches: async () => (await loadBatches(place)).batches,
    loadBatch: (selector) => loadBatch(place, selector),
    findRemains: (batch_id) => findRemains(place, batch_id),
    saveBatch: (batch) =>
      replaceFile(join(resultsDir, batchFileName(batch.batch_id)), renderJson(batch), below),
    makeTrialDir: async (case_id, eval_run_id) => {
      const folder = join(resultsDir, case_id);
      await ensureDir(folder, below);
      return makeNewDir(join(folder, eval_run_id));
    },
    saveTrial: async ({ dir, checks, meta }) => {
      await replaceFile(join(dir, 'checks.json'), renderJson({ checks }), below);
      await replaceFile(join(dir, 'meta.json'), renderJson(meta), below);
    },
  };
}

function makeNewDir(path: string): string {
  try {
    mkdirSync(path);
  } catch (cause) {
    throw diskError({ action: 'make the folder', path, cause });
  }
  return path;
}

async function loadBatch(place: EvalFolders, selector: string): Promise<LoadedBatch> {
  const wanted = splitSelector(selector);
  const { batches, warnings } = await loadBatches(place);
  const batch =
    wanted.batch === latestWord ? batches.at(-1) : batches.find(({ batch_id }) => batch_id === wanted.batch);
  if (batch === undefined) throw unknownBatch(wanted.batch, { batches, warnings });
  const read = await loadTrials(place);
  const trials = read.trials.filter(({ meta }) => meta.batch_id === batch.batch_id);
  const all = { batch, warnings: [...warnings, ...read.warnings] };
  if (wanted.variant === null) return { ...all, trials };
  const labels = batch.plan.variants.map(variantLabel);
  if (!labels.includes(wanted.variant)) throw unknownVariant(wanted.variant, batch.batch_id, labels);
  return { ...all, trials: trials.filter(({ meta }) => variantLabel(meta.variant) === wanted.variant) };
}

async function findRemains({ resultsDir, root }: EvalFolders, batch_id: string): Promise<string | null> {
  const name = batchFileName(batch_id);
  if ((await listDir(resultsDir)).some((entry) => entry.name === name)) return join(resultsDir, name);
  const { trials } = await loadTrials({ resultsDir, root });
  return trials.find(({ meta }) => meta.batch_id === batch_id)?.dir ?? null;
}

function unknownBatch(
  wanted: string,
  { batches, warnings }: { readonly batches: readonly Batch[]; readonly warnings: readonly string[] },
): RunnerError {
  const near = suggest(
    wanted,
    batches.map(({ batch_id }) => batch_id),
  );
  const why = warnings.length > 0 ? ' that can be read' : '; there is none yet';
  const none = batches.length === 0 ? why : '';
  return new RunnerError({
    code: 'EVAL_BATCH_UNKNOWN',
    message: `there is no batch '${wanted}'${near === null ? none : `; did you mean ${near}?`}`,
    details: [...warnings, ...batches.map(({ batch_id, created_at }) => `${batch_id} (${created_at})`)],
    hint: batches.length === 0 ? 'runner eval run' : 'runner eval report latest',
  });
}

function unknownVariant(wanted: string, batch_id: string, labels: readonly string[]): RunnerError {
  const near = suggest(wanted, labels);
  return new RunnerError({
    code: 'EVAL_BATCH_UNKNOWN',
    message: `the batch '${batch_id}' has no variant '${wanted}'${near === null ? '' : `; did you mean ${near}?`}`,
    details: labels,
    hint: `runner eval report ${batch_id}`,
  });
}

/** Oldest first. */
export async function loadBatches({ resultsDir, root }: ResultsFolders): Promise<{
  readonly batches: readonly Batch[];
  readonly warnings: readonly string[];
}> {
  const batches: Batch[] = [];
  const warnings: string[] = [];
  for (const { name } of await listDir(resultsDir)) {
    const id = batchOfFile(name);
    if (id === null) continue;
    const path = join(resultsDir, name);
    const read = await loadRecord({ path, root }, parseBatch);
    if (read.ok && read.value.batch_id === id) batches.push(read.value);
    else warnings.push(skipped(path, read.ok ? `it is of the batch '${read.value.batch_id}'` : read.problem));
  }
  const sorted = batches.toSorted(
    (a, b) => compareCodePoints(a.created_at, b.created_at) || compareCodePoints(a.batch_id, b.batch_id),
  );
  return { batches: sorted, warnings };
}

export interface LoadedTrials {
  readonly trials: readonly TrialRecord[];
  readonly warnings: readonly string[];
}

/** Every trial that has ended, of all batches. */
export async function loadTrials({ resultsDir, root }: ResultsFolders): Promise<LoadedTrials> {
  const trials: TrialRecord[] = [];
  const warnings: string[] = [];
  for (const folder of await listDir(resultsDir)) {
    if (folder.kind !== 'folder' || !isCaseId(folder.name)) continue;
    const caseDir = join(resultsDir, folder.name);
    for (const { name, kind } of await listDir(caseDir)) {
      if (kind !== 'folder' || !isEvalRunId(name)) continue;
      const read = await loadTrial(join(caseDir, name), root);
      if (read === null) continue;
      if (!read.ok) {
        warnings.push(read.problem);
      } else if (read.value.meta.case_id === folder.name && read.value.meta.eval_run_id === name) {
        trials.push(read.value);
      } else {
        warnings.push(
          skipped(join(caseDir, name), `it is of ${read.value.meta.case_id}/${read.value.meta.eval_run_id}`),
        );
      }
    }
  }
  return { trials: trials.toSorted((a, b) => compareMeta(a.meta, b.meta)), warnings };
}

function compareMeta(a: TrialMeta, b: TrialMeta): number {
  return (
    compareCodePoints(a.case_id, b.case_id) ||
    compareCodePoints(variantLabel(a.variant), variantLabel(b.variant)) ||
    a.repeat - b.repeat ||
    compareCodePoints(a.eval_run_id, b.eval_run_id)
  );
}

/** Null: it has not ended. */
async function loadTrial(dir: string, root: string): Promise<ReadRecord<TrialRecord> | null> {
  const path = join(dir, 'meta.json');
  const meta = await loadRecord({ path, root }, parseTrialMeta);
  if (!meta.ok) return meta.problem === missing ? null : { ok: false, problem: skipped(path, meta.problem) };
  const checksPath = join(dir, 'checks.json');
  const checks = await loadRecord({ path: checksPath, root }, parseCheckResults);
  if (!checks.ok) return { ok: false, problem: skipped(checksPath, checks.problem) };
  return { ok: true, value: { meta: meta.value, checks: checks.value, dir, logs: await listRunLogs(dir) } };
}

/** Those of the setup in their order. */
export async function listRunLogs(dir: string): Promise<readonly string[]> {
  const names = (await listDir(dir)).map(({ name }) => name);
  return names
    .filter((name) => /^(?:runner|setup)\..+\.log$/.test(name))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

function skipped(path: string, problem: string): string {
  return `skipped ${path}: ${problem}`;
}

const missing = 'there is no such file';

async function loadRecord<T>(
  { path, root }: { readonly path: string; readonly root: string },
  parse: (text: string) => ReadRecord<T>,
): Promise<ReadRecord<T>> {
  const source = await loadText(path, { bytesMax: recordBytesMax, root });
  switch (source.kind) {
    case 'text':
      return parse(source.text);
    case 'missing':
      return { ok: false, problem: missing };
    case 'unreadable':
      return { ok: false, problem: source.message };
    case 'too_large':
      return { ok: false, problem: `it has ${source.bytes} bytes, more than ${source.bytesMax}` };
  }
}
