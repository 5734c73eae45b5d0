/**
 * Writes the reports of `--reporter` to files and standard output, for `eval report`, `eval compare` and the end of `eval run`.
 * Secrets are redacted in every text before anything is rendered.
 */
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { secretValues } from '../../adapters/agents/secret-values.ts';
import { folderOfNamed } from '../../adapters/project/workspace.ts';
import { RunnerError } from '../../core/errors.ts';
import { compareTrials } from '../../eval/report/compare.ts';
import type { CompareSide } from '../../eval/report/compare.ts';
import { renderEvalReport } from '../../eval/report/render.ts';
import type { Batch } from '../../eval/cases/types.ts';
import { batchReport, redactTrial, redactVariant, reportValue } from '../../eval/report/report.ts';
import type { BatchInput, EvalReport, WrittenReport } from '../../eval/report/report.ts';
import { parseReporters } from '../../eval/report/reporters.ts';
import type { ReporterName, WantedReport } from '../../eval/report/reporters.ts';
import { redactor } from '../../core/text/redact.ts';
import { word } from '../output/fields.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { listOption } from '../wire/eval.ts';

/** Before anything is done: what `--reporter` asks for. Throws USAGE. */
export function wantedReports(
  { json }: Settings,
  call: CommandCall,
  known?: readonly ReporterName[],
): readonly WantedReport[] {
  const parsed = parseReporters(listOption(call, 'reporter'), known);
  if (!parsed.ok) throw usage(parsed.message, call);
  const shown = parsed.reports.find(({ file }) => file === null);
  if (json && shown !== undefined && shown.name !== 'json')
    throw usage(`--json and the reporter '${shown.name}' both write to standard output`, call);

  return parsed.reports;
}

function usage(message: string, { name }: CommandCall): RunnerError {
  return new RunnerError({ code: 'USAGE', message, hint: `runner ${name} --reporter text,html=report.html` });
}

/** A batch without its secrets. */
export function cleanBatch({ env }: Settings, input: Omit<BatchInput, 'hashOf'>): EvalReport {
  const { redact } = redactor(secretValues(env));
  return batchReport({
    ...input,
    hashOf,
    batch: cleanPlan(input.batch, redact),
    trials: input.trials.map((trial) => redactTrial(trial, redact)),
    warnings: input.warnings.map(redact),
  });
}

/** The plan's variants must have the labels of the trials. */
function cleanPlan(batch: Batch, redact: (text: string) => string): Batch {
  const variants = batch.plan.variants.map((variant) => redactVariant(variant, redact));
  return { ...batch, plan: { ...batch.plan, variants } };
}

export function hashOf(text: string): string {
  return systemHasher().sha256(text);
}

export function cleanComparison(
  { env }: Settings,
  input: { readonly a: CompareSide; readonly b: CompareSide; readonly warnings: readonly string[] },
): EvalReport {
  const { redact } = redactor(secretValues(env));
  const side = ({ name, trials, missing }: CompareSide): CompareSide => ({
    name: redact(name),
    missing,
    trials: trials.map((trial) => redactTrial(trial, redact)),
  });
  return {
    kind: 'comparison',
    comparison: compareTrials(side(input.a), side(input.b)),
    warnings: input.warnings.map(redact),
  };
}

/** For `eval report` and `eval compare`: text by default; with `--json` always one object, which names the files. */
export async function showReport(
  settings: Settings,
  wanted: readonly WantedReport[],
  report: EvalReport,
): Promise<void> {
  const all = wanted.length === 0 ? [{ name: 'text', file: null } as const] : wanted;
  const files = await saveReports(settings, all, report);
  const shown = all.find(({ file }) => file === null);
  if (settings.json || shown?.name === 'json')
    await settings.streams.send(`${JSON.stringify(reportValue(report, files))}\n`);
  else if (shown !== undefined) await settings.streams.send(render(shown.name, report, null));

  if (shown !== undefined) return noteFiles(settings, files);
  const command = report.kind === 'report' ? 'report' : 'compare';
  if (!settings.json) for (const file of files) settings.streams.out(`${command}: ${fileFields(file)}\n`);
}

/** For the end of `eval run`: no report unless asked for. Written files are listed on stderr, because stdout has its own lines. */
export async function showRunReports(
  settings: Settings,
  wanted: readonly WantedReport[],
  input: Omit<BatchInput, 'hashOf'>,
): Promise<void> {
  if (wanted.length === 0) return;
  const report = cleanBatch(settings, input);
  const files = await saveReports(settings, wanted, report);
  const shown = wanted.find(({ file }) => file === null);
  if (shown !== undefined) await settings.streams.send(render(shown.name, report, null));
  noteFiles(settings, files);
}

function noteFiles({ quiet, streams }: Settings, files: readonly WrittenReport[]): void {
  if (!quiet) for (const file of files) streams.err(`note: ${fileFields(file)}\n`);
}

function fileFields({ reporter, file, bytes }: WrittenReport): string {
  return `reporter=${reporter} file=${word(file)} bytes=${bytes}`;
}

async function saveReports(
  { directory }: Settings,
  wanted: readonly WantedReport[],
  report: EvalReport,
): Promise<readonly WrittenReport[]> {
  const files: WrittenReport[] = [];
  for (const { name, file } of wanted) {
    if (file === null) continue;
    const path = resolve(directory, file);
    const text = render(name, report, path);
    await replaceFile(path, text, { root: await folderOfNamed(path) });
    files.push({ reporter: name, file: path, bytes: Buffer.byteLength(text) });
  }
  return files;
}

/** `file`: where the report will be; its links are relative to that, so that both can be moved together. */
function render(name: ReporterName, report: EvalReport, file: string | null): string {
  return renderEvalReport(name, report, {
    hashOf: (text) => Buffer.from(hashOf(text), 'hex').toString('base64'),
    linkOf: (path) => addressOf(path, file),
  });
}

function addressOf(path: string, file: string | null): string {
  if (file === null) return pathToFileURL(path).href;
  const way = relative(dirname(file), path).split('/').map(encodeURIComponent).join('/');
  return way.startsWith('..') ? way : `./${way}`;
}
