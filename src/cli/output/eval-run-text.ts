/** A trial and a batch as stable `key=value` lines and as JSON. */
import { variantLabel } from '../../eval/cases/names.ts';
import type { EvalOutcome, TrialRecord } from '../../eval/cases/types.ts';
import { word } from './fields.ts';
import { printLine } from './report.ts';
import type { Settings } from './streams.ts';

const outcomes: readonly EvalOutcome[] = ['success', 'fail', 'stuck', 'error', 'skipped'];

export interface BatchCounts {
  readonly trials: number;
  readonly outcomes: Readonly<Record<EvalOutcome, number>>;
  /** Successes among the trials that were not skipped; null: there is none. */
  readonly pass_rate: number | null;
}

export function countTrials(records: readonly TrialRecord[]): BatchCounts {
  const count = (outcome: EvalOutcome): number =>
    records.filter(({ meta }) => meta.outcome === outcome).length;
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, count(outcome)])) as Record<
    EvalOutcome,
    number
  >;
  const tried = records.length - counts.skipped;
  return {
    trials: records.length,
    outcomes: counts,
    pass_rate: tried === 0 ? null : counts.success / tried,
  };
}

export function printTrial(settings: Settings, { meta, checks, dir }: TrialRecord): void {
  const { case_id, eval_run_id, repeat, outcome, reason } = meta;
  const variant = variantLabel(meta.variant);
  const why = reason === null ? '' : ` reason=${reason}`;
  printLine(
    settings,
    `run: case=${case_id} eval_run_id=${eval_run_id} variant=${word(variant)} repeat=${repeat} outcome=${outcome}${why} results=${word(dir)}`,
    {
      command: 'eval run',
      event: 'trial',
      case_id,
      eval_run_id,
      variant,
      repeat,
      outcome,
      reason,
      duration_secs: meta.duration_secs,
      iterations: meta.iterations,
      attempts: meta.attempts,
      tokens: meta.tokens,
      cost_usd: meta.cost_usd,
      exit_code: meta.exit_code,
      failed_checks: checks.filter(({ passed }) => !passed).map(({ label, detail }) => ({ label, detail })),
      errors: meta.errors,
      recorded: meta.recorded,
      replay_misses: meta.replay_misses,
      workspace: meta.workspace,
      results: dir,
    },
  );
}

export function printBatch(
  settings: Settings,
  batch_id: string,
  { trials, outcomes: counts, pass_rate }: BatchCounts,
): void {
  const fields = outcomes.map((outcome) => `${outcome}=${counts[outcome]}`).join(' ');
  printLine(
    settings,
    `eval: batch=${batch_id} trials=${trials} ${fields} pass_rate=${pass_rate === null ? '-' : pass_rate.toFixed(3)}`,
    { command: 'eval run', event: 'end', batch_id, trials, ...counts, pass_rate },
  );
}
