/** Combines the flags of `runner eval run`. Refuses contradictions; reads no file. */
import { availableParallelism } from 'node:os';
import { RunnerError } from '../../core/errors.ts';
import { isBatchId } from '../../eval/cases/names.ts';
import { parseShard } from '../../eval/cases/plan.ts';
import type { Shard, Variant } from '../../eval/cases/types.ts';
import type { LoadedCases } from '../../eval/harness/case-files.ts';
import type { EvalFolders } from '../../eval/harness/place.ts';
import type { CommandCall } from '../program.ts';
import { textOption, usage, variantsOf } from './variants.ts';
import { listOption } from '../wire/eval.ts';

export interface Jobs {
  readonly wanted: number;
  /** Trials at the same time: never more than processors, for more of them would only slow each other down. */
  readonly atOnce: number;
}

export interface EvalRunOptions {
  readonly ids: readonly string[];
  readonly tags: readonly string[];
  /** Null: no flag selects an agent. */
  readonly variants: readonly Variant[] | null;
  readonly repeats: number | null;
  readonly jobs: Jobs;
  readonly record: boolean;
  /** Cases and results are hidden from agents where that is possible. */
  readonly isHidden: boolean;
  readonly shard: Shard | null;
  readonly isResumed: boolean;
  readonly batch_id: string | null;
  readonly minPassRate: number | null;
  readonly ui: boolean;
}

export function evalRunOptions(call: CommandCall): EvalRunOptions {
  const { options } = call;
  const jobs = jobsOf(textOption(call, 'jobs'));
  const record = options['record'] === true;
  if (record && options['replay'] === true) throw usage('--replay and --record cannot be combined');
  if (options['ui'] === true && jobs.wanted > 1) throw usage('--ui and --jobs cannot be combined');
  return {
    ids: call.args,
    tags: listOption(call, 'tag'),
    variants: variantsOf(call),
    repeats: numberOption(call, 'repeat'),
    jobs,
    record,
    isHidden: options['hide'] !== false,
    shard: shardOf(textOption(call, 'shard')),
    isResumed: options['resume'] === true,
    batch_id: batchOf(textOption(call, 'batch')),
    minPassRate: rateOf(textOption(call, 'minPassRate')),
    ui: options['ui'] === true,
  };
}

function jobsOf(text: string | null): Jobs {
  const processors = availableParallelism();
  if (text === 'auto') return { wanted: processors, atOnce: processors };
  const wanted = text === null ? 1 : /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (wanted === 0) throw usage(`--jobs takes a number from 1, or auto; not '${text}'`);
  return { wanted, atOnce: Math.min(wanted, processors) };
}

function shardOf(text: string | null): Shard | null {
  if (text === null) return null;
  const shard = parseShard(text);
  if (shard === null) throw usage(`--shard must look like 2/5, not '${text}'`);
  return shard;
}

function batchOf(text: string | null): string | null {
  if (text === null || isBatchId(text)) return text;
  throw usage(`--batch must be up to 64 letters, digits, "_" and "-", and not latest; it is '${text}'`);
}

function rateOf(text: string | null): number | null {
  if (text === null) return null;
  const rate = /^\d(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(rate <= 1)) throw usage(`--min-pass-rate takes a number from 0 to 1, not '${text}'`);
  return rate;
}

function numberOption({ options }: CommandCall, name: string): number | null {
  const value = options[name];
  return typeof value === 'number' ? value : null;
}

export function noCase({ casesDir }: EvalFolders, { problems }: LoadedCases): RunnerError {
  return new RunnerError({
    code: 'EVAL_CASE_UNKNOWN',
    message: `no case in ${casesDir} matches`,
    details: problems.flatMap(({ lines }) => lines),
    hint: 'runner eval list',
  });
}
