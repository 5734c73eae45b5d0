/** Reports of the eval harness for tests, and text that would act if a renderer let it. */
import { createHash } from 'node:crypto';
import { variantLabel } from '../../src/eval/cases/names.ts';
import { compareTrials } from '../../src/eval/report/compare.ts';
import { batchReport } from '../../src/eval/report/report.ts';
import type { BatchReport, ComparisonReport } from '../../src/eval/report/report.ts';
import type { Batch, TrialRecord } from '../../src/eval/cases/types.ts';
import { hostileTexts } from './hostile.ts';
import { batchWith, trialWith } from './trials.ts';

export const tools = {
  hashOf: (text: string): string => createHash('sha256').update(text).digest('base64'),
  linkOf: (path: string): string => `./${encodeURI(path).replaceAll(':', '%3A')}`,
};

export function reportOf(
  trials: readonly TrialRecord[],
  { warnings = [], ...changes }: Partial<Batch> & { readonly warnings?: readonly string[] } = {},
): BatchReport {
  const metas = trials.map(({ meta }) => meta);
  const variants = new Map(metas.map(({ variant }) => [variantLabel(variant), variant]));
  const plan = {
    cases: [...new Set(metas.map(({ case_id }) => case_id))].map((id) => ({ id, hash: 'a'.repeat(64) })),
    variants: [...variants.values()],
    repeats: Math.max(1, ...metas.map(({ repeat }) => repeat)),
    record: false,
  };
  const batch = batchWith({ plan, ...changes });
  return batchReport({ batch, trials, warnings, case_id: null, variant: null, hashOf: tools.hashOf });
}

export function comparisonOf(
  a: readonly TrialRecord[],
  b: readonly TrialRecord[],
  warnings: readonly string[] = [],
): ComparisonReport {
  const comparison = compareTrials(
    { name: 'old', trials: a, missing: 0 },
    { name: 'new', trials: b, missing: 0 },
  );
  return { kind: 'comparison', comparison, warnings };
}

/** Each hostile text in every place of a trial that somebody else can fill; the very long one as long as a file may make it. */
export function hostileTrials(): readonly TrialRecord[] {
  return hostileTexts.map((text, index) =>
    trialWith(
      {
        case_id: `case-${index}`,
        outcome: index % 2 === 0 ? 'error' : 'fail',
        reason: index % 2 === 0 ? 'toolchain_missing' : null,
        settings: { on_stuck: text.slice(0, 300) },
        errors: [text],
        variant: { kind: 'agent', agent: 'codex', model: text.slice(0, 300) },
        agent: { name: text.slice(0, 300), version: text.slice(0, 300), model: text.slice(0, 300) },
        runner_version: text.slice(0, 300),
      },
      [{ type: 'file_exists', label: text, passed: false, detail: text }],
    ),
  );
}
