/** A trial and a batch as stable `key=value` lines and as JSON. */
import { variantLabel } from '../../eval/cases/names.ts';
import type { TrialRecord } from '../../eval/cases/types.ts';
import { renderShare } from '../../eval/report/numbers.ts';
import { evalOutcomes } from '../../eval/report/summary.ts';
import type { EvalSummary, TrialCounts, VariantSummary } from '../../eval/report/summary.ts';
import { word } from './fields.ts';
import { printLine } from './report.ts';
import type { Settings } from './streams.ts';

/** The lowest share of successes that a variant reached among trials that were not skipped; null: a variant has none. */
export function lowestPassRate(variants: readonly VariantSummary[]): number | null {
  const rates = variants.map(({ trials, outcomes }) =>
    trials === outcomes.skipped ? null : outcomes.success / (trials - outcomes.skipped),
  );
  return rates.length === 0 || rates.includes(null) ? null : Math.min(...rates.map(Number));
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

export interface BatchEnd {
  readonly batch_id: string;
  readonly summary: EvalSummary;
  /** Planned trials without a result. */
  readonly left: number;
}

/** What could not be judged comes before the rates; a rate is of one variant. */
export function printBatch(settings: Settings, { batch_id, summary, left }: BatchEnd): void {
  const { overall, variants } = summary;
  const lines = [
    ...variants.flatMap(({ variant, errors }) =>
      errors.map(
        ({ why, trials, results }) =>
          `eval: error variant=${word(variant)} why=${word(why)} trials=${trials} results=${word(String(results[0]))}`,
      ),
    ),
    ...variants.map((one) => `eval: variant=${word(one.variant)} ${countFields(one)} ${rateFields(one)}`),
    `eval: batch=${batch_id} ${countFields(overall)} left=${left}`,
  ];
  printLine(settings, lines.join('\n'), {
    command: 'eval run',
    event: 'end',
    batch_id,
    trials: overall.trials,
    ...overall.outcomes,
    left,
    variants: variants.map(({ variant, trials, outcomes, judged, rate, interval, clustered, errors }) => ({
      variant,
      trials,
      ...outcomes,
      judged,
      rate,
      interval,
      clustered,
      errors,
    })),
  });
}

function countFields({ trials, outcomes }: TrialCounts): string {
  return [`trials=${trials}`, ...evalOutcomes.map((outcome) => `${outcome}=${outcomes[outcome]}`)].join(' ');
}

function rateFields({ judged, rate, interval }: VariantSummary): string {
  const share = (value: number | undefined): string => renderShare(value ?? null);
  return `judged=${judged} rate=${renderShare(rate)} low=${share(interval?.low)} high=${share(interval?.high)}`;
}
