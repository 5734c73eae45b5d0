/** Parses `--reporter a,b=file`: which reports are wanted, and where each goes. An error is one sentence. */
import { suggest } from '../../core/text/suggest.ts';

export const reporterNames = ['text', 'json', 'junit', 'markdown', 'html'] as const;

export type ReporterName = (typeof reporterNames)[number];

export interface WantedReport {
  readonly name: ReporterName;
  /** Null: standard output. */
  readonly file: string | null;
}

export type ParsedReporters =
  | { readonly ok: true; readonly reports: readonly WantedReport[] }
  | { readonly ok: false; readonly message: string };

/** The words of one or several options; `known` are the reporters that make sense here. */
export function parseReporters(
  texts: readonly string[],
  known: readonly ReporterName[] = reporterNames,
): ParsedReporters {
  const reports: WantedReport[] = [];
  for (const part of texts.flatMap((text) => text.split(','))) {
    const at = part.indexOf('=');
    const typed = at === -1 ? part : part.slice(0, at);
    const file = at === -1 ? null : part.slice(at + 1);
    const name = known.find((one) => one === typed);
    if (name === undefined) return { ok: false, message: unknownMessage(typed, known) };
    if (file === '') return { ok: false, message: `the file of the reporter '${name}' is missing` };
    reports.push({ name, file });
  }
  const message = checkPlaces(reports);
  return message === null ? { ok: true, reports } : { ok: false, message };
}

function unknownMessage(typed: string, known: readonly ReporterName[]): string {
  const nearest = suggest(typed, known);
  const help = nearest === null ? `it is one of ${known.join(', ')}` : `did you mean '${nearest}'?`;
  return typed === '' ? `a reporter has no name; ${help}` : `there is no reporter '${typed}' here; ${help}`;
}

function checkPlaces(reports: readonly WantedReport[]): string | null {
  const shown = reports.filter(({ file }) => file === null).map(({ name }) => name);
  if (shown.length > 1)
    return `only one reporter can write to standard output, not ${shown.join(' and ')}; give the others a file: ${shown[1]}=<file>`;

  const files = reports.flatMap(({ file }) => (file === null ? [] : [file]));
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  return twice === undefined ? null : `two reporters would write the file '${twice}'`;
}
