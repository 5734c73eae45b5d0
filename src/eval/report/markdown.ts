/** Reports of the eval harness as Markdown, for a job summary or a comment. Nothing from outside can become markup, a link or a mention. */
import { groupLeftOut } from './compare.ts';
import type { Flip } from './compare.ts';
import { renderDifferences } from './differences.ts';
import { evalOutcomes, measureNames } from './summary.ts';
import type { FailureGroup } from './failures.ts';
import { failedTrials, listLogs, namesByResults, renderWhy } from './failures.ts';
import { compareNotes, listNotes, noteText } from './notes.ts';
import type { Note } from './notes.ts';
import type { CaseSummary, PassRow, TrialGroup, VariantSummary } from './summary.ts';
import {
  measureWords,
  renderClustered,
  renderCost,
  renderCount,
  renderInterval,
  renderMeasure,
  renderPart,
  renderPercent,
} from './numbers.ts';
import { variantLabel } from '../cases/names.ts';
import type { BatchReport, ComparisonReport, EvalReport } from './report.ts';
import { rateRows, spentNote, spentRows } from './sides.ts';
import {
  asTitle,
  clusteredWords,
  intervalsNote,
  intervalWords,
  leftOutWords,
  outcomeWords,
  shortName,
  whyWords,
} from './words.ts';
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
  const { variants, cases } = summary;
  const flaky = cases.filter(({ is_flaky }) => is_flaky);
  return [
    `### Eval ${plain(batch_id)}`,
    ...noteBlock(listNotes(report)),
    planned === 0
      ? `This batch planned no trials. Runner ${plain(runner_version)}.`
      : `${renderPart(planned - missing, planned)} ended. Runner ${plain(runner_version)}.`,
    ...(variants.length === 0 ? [] : [table(rateHead, variants.map(rateRow)), intervalsNote]),
    ...reasonBlock(report),
    ...(cases.length === 0
      ? []
      : [
          table(
            groupHead('Case', 'Variant'),
            cases.map((one) => groupRow([one.case_id, shortName(one.variant)], one, one.passes)),
          ),
        ]),
    ...(flaky.length === 0
      ? []
      : [`Flaky (some repeats are solved, some are not): ${flaky.map(nameOf).join(', ')}.`]),
    ...failureBlock(report),
  ];
}

const rateHead = [
  'Variant',
  '# Rate',
  `# ${asTitle(intervalWords)}`,
  `# ${asTitle(clusteredWords)}`,
  '# Solved',
  '# Harness errors',
  '# Total cost',
  '# Total trial time',
];

function rateRow(one: VariantSummary): readonly string[] {
  return [
    shortName(one.variant),
    renderPercent(one.rate),
    renderInterval(one.interval),
    renderClustered(one),
    `${one.outcomes.success} of ${one.judged}`,
    String(one.outcomes.error),
    renderCost(one),
    renderMeasure('duration_secs', one.took_secs),
  ];
}

function noteBlock(notes: readonly Note[]): readonly string[] {
  return notes.length === 0 ? [] : [notes.map((note) => `**${plain(noteText(note))}**`).join('  \n')];
}

function reasonBlock({ summary, trials }: BatchReport): readonly string[] {
  const names = namesByResults(trials);
  const row = (variant: string, kind: string, group: FailureGroup): readonly string[] => {
    const [dir = ''] = group.results;
    return [
      shortName(variant),
      kind,
      whyWords(group.why),
      String(group.trials),
      `${names.get(dir)}: ${dir}${group.trials > 1 ? `, +${group.trials - 1} more` : ''}`,
    ];
  };
  const rows = summary.variants.flatMap(({ variant, failures, errors }) => [
    ...failures.map((group) => row(variant, 'not solved', group)),
    ...errors.map((group) => row(variant, 'harness error', group)),
  ]);
  return rows.length === 0 ? [] : [table(['Variant', 'Kind', 'Why', '# Trials', 'Results'], rows)];
}

function nameOf({ case_id, variant, outcomes, judged }: CaseSummary): string {
  return `${plain(case_id)} (${plain(shortName(variant))}, ${outcomes.success} of ${judged})`;
}

function failureBlock({ trials }: BatchReport): readonly string[] {
  const skipped = trials.filter(({ meta }) => meta.outcome === 'skipped');
  const others = [...failedTrials(trials), ...skipped];
  if (others.length === 0) return [];
  const rows = others.map((trial) => {
    const { meta, checks, dir } = trial;
    const failed = checks
      .filter(({ passed }) => !passed)
      .map(({ label, detail }) => `check not passed: ${label}${detail === null ? '' : `: ${detail}`}`);
    const why = [...meta.errors, ...failed].join('; ');
    const outcome = `${outcomeWords[meta.outcome]} (${whyWords(renderWhy(trial))})`;
    const logs = [dir, ...listLogs(trial)].join(' ');
    return [meta.case_id, shortName(variantLabel(meta.variant)), String(meta.repeat), outcome, why, logs];
  });
  const head = table(['Case', 'Variant', '# Repeat', 'Outcome', 'Why', 'Results and logs'], rows);
  return [
    `<details><summary>${renderCount(others.length, 'trial')} not solved</summary>\n\n${head}\n\n</details>`,
  ];
}

/** A name that begins with `# ` is a column of numbers. */
function groupHead(...names: readonly string[]): readonly string[] {
  const outcomes = evalOutcomes.map((outcome) => `# ${asTitle(outcomeWords[outcome])}`);
  return [
    ...names,
    '# Rate',
    `# ${asTitle(intervalWords)}`,
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

function compareBlocks({ comparison }: ComparisonReport): readonly string[] {
  const { a, b, sentence, cases, differences, left_out } = comparison;
  const flips = cases.flatMap(({ case_id, flips: own }) => own.map((flip) => flipRow(case_id, flip)));
  return [
    `### Eval: ${plain(shortName(a.name))} (A) against ${plain(shortName(b.name))} (B)`,
    ...noteBlock(compareNotes(comparison)),
    `**${plain(sentence)}**`,
    ...(differences.length === 0
      ? []
      : [
          table(
            ['What differs', 'A', 'B', 'Case'],
            renderDifferences(differences).map((row) => [row.what, row.a, row.b, row.where]),
          ),
        ]),
    table(
      ['Both sides', '# A', '# B'],
      [...rateRows(comparison), ...spentRows(comparison)].map((row) => [asTitle(row.name), row.a, row.b]),
    ),
    `${intervalsNote} ${spentNote}`,
    flips.length === 0
      ? 'No case flipped.'
      : table(['Case', '# Repeat', 'Solved in', 'Why not in the other', 'Its results and logs'], flips),
    ...(left_out.length === 0
      ? []
      : [
          `<details><summary>${renderCount(left_out.length, 'trial')} left out</summary>\n\n${table(
            ['Case', 'Why', 'Repeats'],
            groupLeftOut(left_out).map((one) => [one.case_id, leftOutWords(one.why), one.repeats.join(', ')]),
          )}\n\n</details>`,
        ]),
  ];
}

function flipRow(case_id: string, flip: Flip): readonly string[] {
  const { repeat, solved_in, results_a, results_b, why, logs } = flip;
  const results = solved_in === 'a' ? results_b : results_a;
  return [case_id, String(repeat), solved_in.toUpperCase(), whyWords(why), [results, ...logs].join(' ')];
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
