/** `runner runs`, the same as `runner run list`: every run of this repository, read-only. */
import { loadRuns, measure } from '../../app/runs/list.ts';
import { isUnended } from '../../core/runs/run-list.ts';
import { exitCodes } from '../exit-codes.ts';
import { renderRunLine, renderRunTable, runValue } from '../output/run-list-text.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openRuns } from '../wire/runs.ts';

export async function run(settings: Settings, { name, options }: CommandCall): Promise<number> {
  const project = await openRuns(settings);
  const rows = (await loadRuns(project)).map(({ row }) => row);
  const wanted = options['all'] === true ? rows : rows.filter(isUnended);
  const sized = await measure(project.files, wanted);
  const { out, err, outColumns } = settings.streams;
  if (settings.json) {
    out(`${JSON.stringify({ command: name, runs: sized.map(runValue) })}\n`);
    return exitCodes.ok;
  }
  const columns = outColumns();
  if (sized.length === 0) {
    const hidden = rows.length - sized.length;
    const more = hidden === 0 ? '' : `; ${hidden} ended (runner runs --all)`;
    if (!settings.quiet) err(`note: no run is open here${more}\n`);
    return exitCodes.ok;
  }
  const lines = columns === null ? sized.map(renderRunLine) : renderRunTable(sized, columns);
  out(lines.map((line) => `${line}\n`).join(''));
  return exitCodes.ok;
}
