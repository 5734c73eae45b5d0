/**
 * The parts every eval page has: one file without script, whose policy allows its own style and nothing else, and the tables in
 * it. Cells are markup made by the caller, which must escape text from outside.
 */
import { evalStyle } from './style.ts';
import { shortName } from './words.ts';
import { escapeHtml, renderHtmlText } from '../../core/text/markup.ts';

/** One that is longer belongs into the logs. */
export const textLengthMax = 2000;

export interface PageInput {
  readonly title: string;
  /** Markup. */
  readonly body: readonly string[];
  readonly warnings: readonly string[];
  /** SHA-256 in base64. */
  readonly hashOf: (text: string) => string;
}

export function renderEvalPage({ title, body, warnings, hashOf }: PageInput): string {
  const policy = `default-src 'none'; style-src 'sha256-${hashOf(evalStyle)}'; base-uri 'none'; form-action 'none'`;
  const notes =
    warnings.length === 0
      ? []
      : [section('Warnings', `<ul>${warnings.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`)];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${evalStyle}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...body,
    ...notes,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Text from outside, cut where it is long. */
export function text(from: string): string {
  return renderHtmlText(from, textLengthMax);
}

/** A name from outside: of a variant or a batch. */
export function nameText(from: string): string {
  return text(shortName(from));
}

export function link(words: string, address: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(words)}</a>`;
}

/** The address of a file or folder of results, for the page that will be written. */
export type LinkOf = (path: string) => string;

/** `results · runner.loop.log · …`, of one trial. */
export function trialLinks(
  { words, dir, logs }: { readonly words: string; readonly dir: string; readonly logs: readonly string[] },
  linkOf: LinkOf,
): string {
  return [link(words, linkOf(dir)), ...logs.map((log) => link(log, linkOf(`${dir}/${log}`)))].join(' · ');
}

export function section(title: string, ...inside: readonly string[]): string {
  return `<section>\n<h2>${escapeHtml(title)}</h2>\n${inside.join('\n')}\n</section>`;
}

export interface Column {
  readonly name: string;
  readonly isNumber?: true;
}

/** Scrolls by itself where it is too wide, so it can be reached with the keyboard. */
export function table(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const classOf = (column: Column | undefined): string =>
    column?.isNumber === true ? ' class="number"' : ' class="name"';
  const head = columns.map((column) => `<th scope="col"${classOf(column)}>${escapeHtml(column.name)}</th>`);
  const body = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, index) => `<td${classOf(columns[index])}>${cell}</td>`).join('')}</tr>`,
  );
  return `<div class="wide" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table><thead><tr>${head.join('')}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

export interface PlotRow {
  /** Markup. */
  readonly name: string;
  readonly strip: string;
  /** What the picture says. */
  readonly said: string;
  /** What else it says, on a line of its own. */
  readonly also?: string;
}

/** Rows on one axis. All of a list have columns of the same width, or the lines of their grids would not meet. */
export function plotList(rows: readonly PlotRow[], ticks: readonly string[], isLong = false): string {
  const head = `<li class="row${isLong ? ' is-long' : ''}`;
  const drawn = rows.map(
    ({ name, strip, said, also }) =>
      `${head}"><span class="name">${name}</span><span class="strip-place">${strip}</span><span class="number">${escapeHtml(said)}${also === undefined ? '' : `<small>${escapeHtml(also)}</small>`}</span></li>`,
  );
  const axis = ticks.map((tick) => `<span>${escapeHtml(tick)}</span>`).join('');
  const last = `${head} axis-row"><span></span><span class="axis">${axis}</span><span></span></li>`;
  return `<ul class="rows">${[...drawn, last].join('\n')}</ul>`;
}

export const percentTicks = ['0 %', '25 %', '50 %', '75 %', '100 %'];

/** A case, with who worked on it when there are several. */
export function caseName(case_id: string, variant: string | null): string {
  return `${text(case_id)}${variant === null ? '' : ` <small>${nameText(variant)}</small>`}`;
}
