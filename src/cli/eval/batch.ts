/** The batch that `runner eval run` works on: a new one from the flags, or one to resume. Writes nothing itself. */
import { RunnerError } from '../../core/errors.ts';
import { newBatchId } from '../../eval/cases/names.ts';
import { changedCases, checkResume } from '../../eval/cases/resume.ts';
import type { Batch, TrialRecord } from '../../eval/cases/types.ts';
import { packageVersion } from '../../core/version.js';
import { chooseCases, loadCases } from '../../eval/harness/case-files.ts';
import type { LoadedCase, LoadedCases } from '../../eval/harness/case-files.ts';
import { nameSeed } from '../../eval/harness/place.ts';
import type { EvalFolders } from '../../eval/harness/place.ts';
import type { EvalResults } from '../../eval/harness/results.ts';
import { noCase } from './options.ts';
import type { EvalRunOptions } from './options.ts';
import { caseAgent, usage } from './variants.ts';

export interface OpenBatch {
  readonly batch: Batch;
  readonly cases: ReadonlyMap<string, LoadedCase>;
  /** What has ended before. */
  readonly done: readonly TrialRecord[];
  readonly warnings: readonly string[];
  /** Invalid case files, which may be among the selected ones. */
  readonly badFiles: number;
}

interface Request {
  readonly place: EvalFolders;
  readonly results: EvalResults;
  readonly options: EvalRunOptions;
  /** Locks the batch before its trials are loaded. Throws LOCKED. */
  readonly hold: (batch_id: string) => Promise<void>;
}

export async function openBatch(request: Request): Promise<OpenBatch> {
  const loaded = await loadCases(request.place);
  return request.options.isResumed ? resumeBatch(request, loaded) : newBatch(request, loaded);
}

async function newBatch({ place, results, options, hold }: Request, loaded: LoadedCases): Promise<OpenBatch> {
  const chosen = chooseCases(loaded, options);
  if (chosen.length === 0) throw noCase(place, loaded);
  const seed = nameSeed();
  const batch_id = options.batch_id ?? newBatchId(seed);
  await hold(batch_id);
  if (options.batch_id !== null) await checkFree(results, batch_id);
  const batch: Batch = {
    version: 1,
    batch_id,
    created_at: new Date(seed.epochMs).toISOString(),
    runner_version: packageVersion,
    plan: {
      cases: chosen.map(({ case: { id }, hash }) => ({ id, hash })),
      variants: options.variants ?? [caseAgent],
      repeats: options.repeats ?? 1,
      record: options.record,
    },
    shards: options.shard === null ? null : [options.shard],
  };
  return {
    batch,
    cases: byId(chosen),
    done: [],
    warnings: loaded.problems.flatMap(({ lines }) => lines),
    badFiles: options.ids.length === 0 ? loaded.problems.length : 0,
  };
}

/** Results of two plans under one name would mean nothing, whether the file of the first can be read or not. */
async function checkFree(results: EvalResults, batch_id: string): Promise<void> {
  if ((await results.listBatches()).some((known) => known.batch_id === batch_id))
    throw usage(`the batch '${batch_id}' already exists; use --resume to continue it`);

  const found = await results.findRemains(batch_id);
  if (found !== null) throw usage(`the name '${batch_id}' is used by ${found}; choose another`);
}

async function resumeBatch({ results, options, hold }: Request, loaded: LoadedCases): Promise<OpenBatch> {
  const { batch_id } = (await results.loadBatch(options.batch_id ?? 'latest')).batch;
  await hold(batch_id);
  const { batch, trials, warnings } = await results.loadBatch(batch_id);
  const areCasesGiven = options.ids.length > 0 || options.tags.length > 0;
  const contradiction = checkResume(batch, {
    cases: areCasesGiven ? chooseCases(loaded, options).map((item) => item.case.id) : null,
    variants: options.variants,
    repeats: options.repeats,
    record: options.record ? true : null,
    shard: options.shard,
  });
  if (contradiction !== null) throw usage(contradiction);
  const now = byId(loaded.cases);
  const changed = changedCases(batch.plan, now);
  if (changed.length > 0) throw caseChanged(batch.batch_id, changed);
  return { batch, cases: now, done: trials, warnings, badFiles: 0 };
}

function byId(cases: readonly LoadedCase[]): ReadonlyMap<string, LoadedCase> {
  return new Map(cases.map((item) => [item.case.id, item]));
}

function caseChanged(batch_id: string, changed: readonly string[]): RunnerError {
  return new RunnerError({
    code: 'EVAL_CASE_CHANGED',
    message: `changed since the batch '${batch_id}' started: ${changed.join(', ')}`,
    hint: 'runner eval run (starts a new batch), or restore the case',
  });
}
