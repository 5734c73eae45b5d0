/** Reports of the eval harness for tests, and text that would act if a renderer let it. */
import { createHash } from 'node:crypto';
import { compareTrials } from '../../src/eval/report/compare.ts';
import { batchReport } from '../../src/eval/report/report.ts';
import type { BatchReport, ComparisonReport } from '../../src/eval/report/report.ts';
import type { Batch, TrialRecord } from '../../src/eval/cases/types.ts';
import { hostileTexts } from './hostile.ts';
import { batchWith, trialWith } from './trials.ts';

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

export function reportOf(
  trials: readonly TrialRecord[],
  { warnings = [], ...changes }: Partial<Batch> & { readonly warnings?: readonly string[] } = {},
): BatchReport {
  const batch = batchWith(changes);
  return batchReport({ batch, trials, warnings, case_id: null, variant: null });
}

export function comparisonOf(
  a: readonly TrialRecord[],
  b: readonly TrialRecord[],
  warnings: readonly string[] = [],
): ComparisonReport {
  const comparison = compareTrials({ name: 'old', trials: a }, { name: 'new', trials: b });
  return { kind: 'comparison', comparison, warnings };
}

/** Each hostile text in every place of a trial that somebody else can fill; the very long one as long as a file may make it. */
export function hostileTrials(): readonly TrialRecord[] {
  return hostileTexts.map((text, index) =>
    trialWith(
      {
        case_id: `case-${index}`,
        outcome: index % 2 === 0 ? 'error' : 'fail',
        reason: index % 2 === 0 ? 'timeout' : null,
        errors: [text],
        variant: { kind: 'agent', agent: 'codex', model: text.slice(0, 300) },
        agent: { name: text.slice(0, 300), version: text.slice(0, 300), model: text.slice(0, 300) },
        runner_version: text.slice(0, 300),
      },
      [{ type: 'file_exists', label: text, passed: false, detail: text }],
    ),
  );
}
