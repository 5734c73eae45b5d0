/** What a reader must know before any rate: trials that are missing, and trials the harness could not judge. Plain sentences. */
import type { EvalComparison } from './compare.ts';
import { renderCount, renderPart } from './numbers.ts';
import type { BatchReport } from './report.ts';

export function noteLines(report: BatchReport): readonly string[] {
  const { missing, shards, summary } = report;
  const parts = shards?.map(({ index, of }) => `${index}/${of}`).join(', ');
  return [
    ...(parts === undefined ? [] : [`This batch covers only shard ${parts} of its plan.`]),
    ...(missing === 0 ? [] : [incompleteNote(report)]),
    ...summary.variants.flatMap(({ variant, outcomes, trials }) =>
      errorNote(variant, outcomes.error, trials),
    ),
  ];
}

export function incompleteNote({ batch_id, planned, missing }: BatchReport): string {
  return `Incomplete: ${renderPart(missing, planned)} no result. Continue with: runner eval run --resume --batch ${batch_id}`;
}

/** Of both sides, in the same words. */
export function compareNotes({ a, b }: Pick<EvalComparison, 'a' | 'b'>): readonly string[] {
  return [a, b].flatMap(({ name, missing, outcomes, trials }) => [
    ...(missing === 0 ? [] : [`Incomplete: ${name} lacks ${renderCount(missing, 'planned trial')}.`]),
    ...errorNote(name, outcomes.error, trials),
  ]);
}

function errorNote(name: string, errors: number, trials: number): readonly string[] {
  if (errors === 0) return [];
  return [
    `${renderCount(errors, 'harness error')} in ${renderCount(trials, 'trial')} of ${name}: not judged, and not in its rate.`,
  ];
}
