/** `runner export [run] --html <file>`: exports a run as one page that opens from disk. Writes that file and nothing else. */
import { resolve } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { pageFiles } from '../../adapters/files/page-files.ts';
import { secretValues } from '../../adapters/agents/secret-values.ts';
import { folderOfNamed } from '../../adapters/project/workspace.ts';
import { findRun } from '../../app/views/log.ts';
import { RunnerError } from '../../core/errors.ts';
import { renderExportPage } from '../../core/views/export-page.ts';
import { redactor } from '../../core/text/redact.ts';
import { packageVersion } from '../../core/version.js';
import { requirePlace } from '../../ui/place.ts';
import { collectExport } from '../../ui/export-data.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openLook } from '../wire/looking.ts';
import { uiSource } from '../wire/ui.ts';

export async function run(settings: Settings, { args, options }: CommandCall): Promise<number> {
  const { html } = options;
  if (typeof html !== 'string' || html === '') {
    throw new RunnerError({
      code: 'USAGE',
      message: '--html <file> is missing',
      hint: 'runner export --html run.html',
    });
  }
  const ports = await openLook(settings);
  const run_id = await findRun(ports, args[0] ?? null);
  const current = await ports.runStates.load().then(
    (state) => state.run_id,
    () => null,
  );
  const { redact } = redactor(secretValues(settings.env));
  const data = await collectExport({
    place: requirePlace(settings.directory),
    source: uiSource(settings),
    run_id,
    isCurrent: run_id === current,
    exported_at: new Date().toISOString(),
    runner_version: packageVersion,
    redact,
  });
  // Redacts every text once more, wherever it is in the data.
  const json = JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'string' ? redact(value) : value,
  );
  const page = await renderPage(settings, json);
  const file = resolve(settings.directory, html);
  await replaceFile(file, page, { root: await folderOfNamed(file) });
  const iterations = Object.keys(data.iterations).length;
  const bytes = Buffer.byteLength(page);
  printLine(
    settings,
    `export: file=${word(file)} bytes=${bytes} run=${word(run_id)} iterations=${iterations}`,
    {
      command: 'export',
      file,
      bytes,
      run_id,
      iterations,
      cuts: data.cuts,
    },
  );
  if (!settings.quiet) {
    settings.streams.err(
      'note: check the file before you share it; unknown kinds of secrets are not redacted\n',
    );
  }
  return exitCodes.ok;
}

async function renderPage({ entryFile }: Settings, data: string): Promise<string> {
  const pages = await pageFiles(entryFile);
  const load = async (name: string): Promise<string> =>
    Buffer.from((await pages.load(name))?.bytes ?? []).toString('utf8');
  const hasher = systemHasher();
  const page = renderExportPage({
    html: await load('index.html'),
    style: await load('app.css'),
    script: await load('app.js'),
    data,
    hashOf: (text) => Buffer.from(hasher.sha256(text), 'hex').toString('base64'),
  });
  if (page !== null) return page;
  throw new RunnerError({
    code: 'INTERNAL',
    message: 'the pages are not built: dist/web is missing or incomplete',
    hint: 'npm run build',
  });
}
