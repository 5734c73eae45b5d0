/** Reports of the eval harness as Markdown, for a job summary or a comment. Nothing from outside can become markup, a link or a mention. */
import { groupLeftOut } from './compare.ts';
import { evalOutcomes, measureNames } from './summary.ts';
import type { FailureGroup } from './failures.ts';
import { failedTrials, listLogs, renderWhy } from './failures.ts';
import { compareNotes, noteLines } from './notes.ts';
import type { CaseSummary, PassRow, TrialCounts, TrialGroup, VariantSummary } from './summary.ts';
import {
  measureWords,
  renderCount,
  renderInterval,
  renderMeasure,
  renderPart,
  renderPercent,
} from './numbers.ts';
import { variantLabel } from '../cases/names.ts';
import type { BatchReport, ComparisonReport, EvalReport } from './report.ts';
import { escapeMarkdown } from '../../core/text/markup.ts';
import { cutText } from '../../core/text/visible.ts';

/** A job summary may have 1 MiB. */
const rowsMax = 300;
const textLengthMax = 300;

export function renderEvalMarkdown(report: EvalReport): string {
  const blocks = report.kind === 'report' ? reportBlocks(report) : compareBlocks(report);
  const warnings = report.warnings.map((line) => `- ${plain(line)}`);
  const all = [...blocks, ...(warnings.length === 0 ? [] : [['**Warnings**', '', ...warnings].join('\n')])];
  return `${all.join('\n\n')}\n`;
}

function reportBlocks(report: BatchReport): readonly string[] {
  const { batch_id, runner_version, summary, planned, missing } = report;
  const { overall, variants, cases } = summary;
  const flaky = cases.filter(({ is_flaky }) => is_flaky);
  return [
    `### Eval ${plain(batch_id)}`,
    ...noteBlock(noteLines(report)),
    `${renderPart(planned - missing, planned)} ended: ${outcomeWords(overall)}. Runner ${plain(runner_version)}.`,
    table(rateHead, variants.map(rateRow)),
    ...reasonBlock(variants),
    table(
      groupHead('Case', 'Variant'),
      cases.map((one) => groupRow([one.case_id, one.variant], one, one.passes)),
    ),
    ...(flaky.length === 0
      ? []
      : [`Flaky (some repeats succeed, some do not): ${flaky.map(nameOf).join(', ')}.`]),
    ...failureBlock(report),
  ];
}

const rateHead = [
  'Variant',
  '# Rate',
  '# 95 %',
  '# 95 %, cases cluster',
  '# Solved',
  '# Harness errors',
  '# Cost',
  '# Time',
];

function rateRow(one: VariantSummary): readonly string[] {
  return [
    one.variant,
    renderPercent(one.rate),
    renderInterval(one.interval),
    renderInterval(one.clustered),
    `${one.outcomes.success} of ${one.judged}`,
    String(one.outcomes.error),
    renderMeasure('cost_usd', one.spent.cost_usd),
    renderMeasure('duration_secs', one.took_secs),
  ];
}

function noteBlock(notes: readonly string[]): readonly string[] {
  return notes.length === 0 ? [] : [notes.map((note) => `**${plain(note)}**`).join('  \n')];
}

function reasonBlock(variants: readonly VariantSummary[]): readonly string[] {
  const row = (variant: string, kind: string, { why, trials, results }: FailureGroup): readonly string[] => [
    variant,
    kind,
    why,
    String(trials),
    String(results[0]),
  ];
  const rows = variants.flatMap(({ variant, failures, errors }) => [
    ...failures.map((group) => row(variant, 'not solved', group)),
    ...errors.map((group) => row(variant, 'harness error', group)),
  ]);
  return rows.length === 0 ? [] : [table(['Variant', 'Kind', 'Why', '# Trials', 'Results'], rows)];
}

function nameOf({ case_id, variant, outcomes, judged }: CaseSummary): string {
  return `${plain(case_id)} (${plain(variant)}, ${outcomes.success} of ${judged})`;
}

function failureBlock({ trials }: BatchReport): readonly string[] {
  const skipped = trials.filter(({ meta }) => meta.outcome === 'skipped');
  const others = [...failedTrials(trials), ...skipped];
  if (others.length === 0) return [];
  const rows = others.map((trial) => {
    const { meta, checks, dir } = trial;
    const failed = checks
      .filter(({ passed }) => !passed)
      .map(({ label, detail }) => `${label}: ${detail ?? 'not passed'}`);
    const why = [...meta.errors, ...failed].join('; ');
    const outcome = `${meta.outcome} (${renderWhy(trial)})`;
    const logs = [dir, ...listLogs(trial)].join(' ');
    return [meta.case_id, variantLabel(meta.variant), String(meta.repeat), outcome, why, logs];
  });
  const head = table(['Case', 'Variant', '# Repeat', 'Outcome', 'Why', 'Results and logs'], rows);
  return [
    `<details><summary>${renderCount(others.length, 'trial')} without success</summary>\n\n${head}\n\n</details>`,
  ];
}

/** A name that begins with `# ` is a column of numbers. */
function groupHead(...names: readonly string[]): readonly string[] {
  const outcomes = evalOutcomes.map((outcome) => `# ${outcome}`);
  return [
    ...names,
    '# Rate',
    '# 95 %',
    ...outcomes,
    '# pass@k',
    '# pass^k',
    ...measureNames.map((name) => `# ${measureWords[name]}`),
  ];
}

function groupRow(
  names: readonly string[],
  group: TrialGroup,
  passes: readonly PassRow[],
): readonly string[] {
  const last = passes.at(-1);
  const pass = (value: number | undefined): string =>
    last === undefined || value === undefined ? '–' : `${renderPercent(value)} (k=${last.k})`;
  return [
    ...names,
    renderPercent(group.rate),
    renderInterval(group.interval),
    ...evalOutcomes.map((outcome) => String(group.outcomes[outcome])),
    pass(last?.pass_at),
    pass(last?.pass_hat),
    ...measureNames.map((name) => renderMeasure(name, group.spreads[name]?.median ?? null)),
  ];
}

function outcomeWords({ outcomes }: TrialCounts): string {
  return evalOutcomes.map((outcome) => `${outcomes[outcome]} ${outcome}`).join(', ');
}

function compareBlocks({ comparison }: ComparisonReport): readonly string[] {
  const { a, b, sentence, cases, medians, differences, left_out } = comparison;
  const sides = [a, b].map((side, index) => groupRow([index === 0 ? 'A' : 'B', side.name], side, []));
  const flipped = cases.filter(({ gained, lost }) => gained.length + lost.length > 0);
  return [
    `### Eval: ${plain(a.name)} (A) against ${plain(b.name)} (B)`,
    ...noteBlock(compareNotes(comparison)),
    `**${plain(sentence)}**`,
    table(groupHead('Side', 'Batch'), sides),
    table(
      ['Median', '# A', '# B'],
      medians.map((row) => [
        measureWords[row.name],
        renderMeasure(row.name, row.a),
        renderMeasure(row.name, row.b),
      ]),
    ),
    flipped.length === 0
      ? 'No case flipped.'
      : table(
          ['Case', '# Pairs', '# A', '# B', 'Only B succeeded', 'Only A succeeded'],
          flipped.map((one) => [
            one.case_id,
            ...[one.pairs, one.success_a, one.success_b].map(String),
            repeats(one.gained),
            repeats(one.lost),
          ]),
        ),
    ...(differences.length === 0
      ? []
      : [
          table(
            ['What differs', 'Case', 'A', 'B'],
            differences.map((one) => [one.what, one.case_id ?? '', one.a.join(', '), one.b.join(', ')]),
          ),
        ]),
    ...(left_out.length === 0
      ? []
      : [
          `<details><summary>${renderCount(left_out.length, 'trial')} left out</summary>\n\n${table(
            ['Case', 'Why', 'Repeats'],
            groupLeftOut(left_out).map((one) => [one.case_id, one.why, one.repeats.join(', ')]),
          )}\n\n</details>`,
        ]),
  ];
}

function repeats(numbers: readonly number[]): string {
  return numbers.length === 0 ? '–' : `repeat ${numbers.join(', ')}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumber = (name: string): boolean => name.startsWith('# ');
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const left = rows.length - rowsMax;
  return [
    line(head.map((name) => escapeMarkdown(isNumber(name) ? name.slice(2) : name))),
    line(head.map((name) => (isNumber(name) ? '---:' : '---'))),
    ...rows.slice(0, rowsMax).map((cells) => line(cells.map(plain))),
    ...(left > 0 ? ['', `${left} more rows are left out.`] : []),
  ].join('\n');
}

function plain(text: string): string {
  return escapeMarkdown(cutText(text, textLengthMax).text);
}
