/**
 * Text for GitHub Actions: workflow commands, which are lines that its runner obeys, and the job summary. Pure. Nothing from outside
 * may become a command or markup.
 */
import type { StepRecord } from '../../app/iteration.ts';
import { escapeMarkdown } from '../../core/text/markup.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Row } from './summary.ts';
import { renderDuration } from './duration.ts';
import { named } from './fields.ts';
import { renderSpent } from './live-view.ts';

export type CommandName = 'error' | 'warning' | 'notice' | 'group' | 'endgroup';
export type Properties = Readonly<Record<string, string | number>>;

export function renderCommand(name: CommandName, message: string, properties: Properties = {}): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name}${list.length === 0 ? '' : ` ${list.join(',')}`}::${escapeData(cleanLine(message))}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(cleanLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/**
 * Lines that GitHub does not obey. It looks for `::` at the start of a line, whatever blanks are before it, and for its older
 * `##[` anywhere.
 */
export function disarm(text: string): string {
  return text.replaceAll('##[', '## [').replaceAll(/^(\s*)::/gmu, '$1.::');
}

export interface FilePosition {
  readonly file: string;
  readonly line: number;
}

/** `file:line` or `file(line,column)` with a relative path, as compilers and test runners print it; null when there is none. */
export function findFilePosition(text: string): FilePosition | null {
  const found =
    /(?<![\w/.\\-])((?:[\w@-][\w@.-]*\/)*[\w@-][\w@.-]*\.\w+)(?::(\d{1,7})\b|\((\d{1,7})[,)])/u.exec(text);
  const [, file, colon, bracket] = found ?? [];
  return file === undefined ? null : { file, line: Number(colon ?? bracket) };
}

const rowsMax = 500;

/** Markdown for `$GITHUB_STEP_SUMMARY`. */
export function renderJobSummary(input: {
  readonly title: string;
  readonly records: readonly StepRecord[];
  readonly rows: readonly Row[];
}): string {
  const { title, records, rows } = input;
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  const left = records.length - rowsMax;
  const iterations = records.slice(-rowsMax).map((record) => {
    const { iter, node_id, title: nodeTitle, status, guard, duration_ms, message } = record;
    const time = duration_ms.agent + duration_ms.guard + duration_ms.review;
    return line([
      String(iter),
      named(node_id, nodeTitle),
      status,
      guard,
      renderDuration(time),
      renderSpent(record) ?? '',
      message,
    ]);
  });
  const tables = [
    ...(iterations.length === 0
      ? []
      : [
          '| Iteration | Node | Status | Guard | Time | Used | Why |',
          '| --------: | ---- | ------ | ----- | ---: | ---- | --- |',
          ...iterations,
          ...(left > 0
            ? ['', `${left} earlier ${left === 1 ? 'iteration is' : 'iterations are'} left out.`]
            : []),
          '',
        ]),
    '| Total | |',
    '| ----- | --- |',
    ...rows.map(line),
  ];
  return `### ${plain(title)}\n\n${tables.join('\n')}\n\n`;
}

function plain(text: string): string {
  return escapeMarkdown(cleanLine(text));
}
