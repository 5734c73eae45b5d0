/**
 * What the reporters of the eval harness render: a batch or a comparison, with secrets redacted in every text. The JSON of both
 * is an interface (schemas/output/v1).
 */
import type { EvalComparison } from './compare.ts';
import { variantLabel } from '../cases/names.ts';
import { planTrials, remainingTrials } from '../cases/plan.ts';
import { summariseTrials } from './summary.ts';
import type { EvalSummary } from './summary.ts';
import type { Batch, Shard, TrialKey, TrialRecord, Variant } from '../cases/types.ts';
import { compareCodePoints } from '../../core/tree/tree-walk.ts';

export interface BatchReport {
  readonly kind: 'report';
  readonly batch_id: string;
  readonly created_at: string;
  readonly runner_version: string;
  /** The only case that was asked for; null: all. */
  readonly case_id: string | null;
  /** The parts of the plan that the batch covers; null: all of it. */
  readonly shards: readonly Shard[] | null;
  /** Trials that these parts of the plan have. */
  readonly planned: number;
  /** Planned trials without a result: the batch is not complete. */
  readonly missing: number;
  /** Which those are, in the order of the plan. */
  readonly left: readonly TrialKey[];
  readonly summary: EvalSummary;
  /** Sorted by case, variant and repeat. */
  readonly trials: readonly TrialRecord[];
  readonly warnings: readonly string[];
}

export interface ComparisonReport {
  readonly kind: 'comparison';
  readonly comparison: EvalComparison;
  readonly warnings: readonly string[];
}

export type EvalReport = BatchReport | ComparisonReport;

export interface BatchInput {
  readonly batch: Batch;
  readonly trials: readonly TrialRecord[];
  readonly warnings: readonly string[];
  readonly case_id: string | null;
  /** Only this variant was asked for; null: all. */
  readonly variant: string | null;
  /** The hash by which trials are dealt to shards. */
  readonly hashOf: (text: string) => string;
}

type Chosen = Pick<BatchInput, 'case_id' | 'variant' | 'hashOf'>;

/** What the plan has of a case and a variant, and how much of it has no result. */
export function countPlanned(
  batch: Batch,
  trials: readonly TrialRecord[],
  { case_id, variant, hashOf }: Chosen,
): Pick<BatchReport, 'planned' | 'missing' | 'left'> {
  const planned = planTrials(batch.plan, { shards: batch.shards, hashOf }).filter(
    (key) =>
      (case_id === null || key.case_id === case_id) &&
      (variant === null || variantLabel(key.variant) === variant),
  );
  const done = trials.map(({ meta }) => meta);
  const left = remainingTrials(planned, done);
  return { planned: planned.length, missing: left.length, left };
}

export function batchReport(input: BatchInput): BatchReport {
  const { batch, warnings, case_id } = input;
  const own = input.trials.filter(({ meta }) => case_id === null || meta.case_id === case_id).toSorted(byKey);
  const counts = countPlanned(batch, own, input);
  return {
    kind: 'report',
    batch_id: batch.batch_id,
    created_at: batch.created_at,
    runner_version: batch.runner_version,
    case_id,
    shards: batch.shards,
    ...counts,
    summary: summariseTrials(
      own,
      counts.left.map(({ variant }) => variantLabel(variant)),
    ),
    trials: own,
    warnings,
  };
}

function byKey({ meta: a }: TrialRecord, { meta: b }: TrialRecord): number {
  return (
    compareCodePoints(a.case_id, b.case_id) ||
    compareCodePoints(variantLabel(a.variant), variantLabel(b.variant)) ||
    a.repeat - b.repeat ||
    compareCodePoints(a.eval_run_id, b.eval_run_id)
  );
}

/** A file that a reporter wrote. */
export interface WrittenReport {
  readonly reporter: string;
  readonly file: string;
  readonly bytes: number;
}

/** The one JSON object of `eval report` and `eval compare`. */
export function reportValue(
  report: EvalReport,
  files: readonly WrittenReport[],
): Readonly<Record<string, unknown>> {
  if (report.kind === 'comparison')
    return { command: 'eval compare', ...report.comparison, warnings: report.warnings, files };

  const { batch_id, created_at, runner_version, case_id, summary, trials, warnings } = report;
  const { shards, planned, missing } = report;
  return {
    command: 'eval report',
    batch_id,
    created_at,
    runner_version,
    case_id,
    shards,
    planned,
    missing,
    ...summary,
    trials: trials.map(trialValue),
    warnings,
    files,
  };
}

function trialValue({ meta, dir }: TrialRecord): Readonly<Record<string, unknown>> {
  const { case_id, variant, repeat, outcome, reason, eval_run_id, start_time, end_time } = meta;
  const { duration_secs, exit_code, iterations, attempts, tokens, cost_usd } = meta;
  const { checks_passed, checks_total } = meta;
  return {
    case_id,
    variant: variantLabel(variant),
    repeat,
    outcome,
    reason,
    eval_run_id,
    start_time,
    end_time,
    duration_secs,
    exit_code,
    iterations,
    attempts,
    tokens,
    cost_usd,
    checks_passed,
    checks_total,
    results: dir,
  };
}

/** Every text that an agent, a program or a person may have put there; ids and words of ours stay. */
export function redactTrial(
  { meta, checks, dir, logs }: TrialRecord,
  redact: (text: string) => string,
): TrialRecord {
  const known = (text: string | null): string | null => (text === null ? null : redact(text));
  const { agent, variant } = meta;
  return {
    meta: {
      ...meta,
      workspace: known(meta.workspace),
      errors: meta.errors.map(redact),
      tags: meta.tags.map(redact),
      variant: redactVariant(variant, redact),
      settings: meta.settings === null ? null : redactValues(meta.settings, redact),
      agent:
        agent === null
          ? null
          : { name: redact(agent.name), version: known(agent.version), model: known(agent.model) },
    },
    checks: checks.map((check) => ({ ...check, label: redact(check.label), detail: known(check.detail) })),
    dir: redact(dir),
    logs,
  };
}

type Redact = (text: string) => string;

/** Also of a plan, whose labels must stay those of the trials. */
export function redactVariant(variant: Variant, redact: Redact): Variant {
  const { agent, model, settings, command } = variant;
  return {
    ...variant,
    agent: agent === null ? null : redact(agent),
    model: model === null ? null : redact(model),
    ...(settings === undefined ? {} : { settings: redactValues(settings, redact) }),
    ...(command === undefined ? {} : { command: redact(command) }),
  };
}

function redactValues(values: Readonly<Record<string, string>>, redact: Redact): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, redact(value)]));
}
