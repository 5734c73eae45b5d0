/** `runner status`: the run at a glance, read-only. */
import { loadStatus } from '../../app/views/status.ts';
import { exitCodes } from '../exit-codes.ts';
import { noteElsewhere } from '../run-elsewhere.ts';
import { proofLines, proofView } from '../output/audit-text.ts';
import { cutLine } from '../output/fields.ts';
import { renderStatusLines, renderStatusView, statusValue } from '../output/status-text.ts';
import type { Settings } from '../output/streams.ts';
import { auditNewest } from '../wire/audit.ts';
import { openLook } from '../wire/looking.ts';

export async function run(settings: Settings): Promise<number> {
  const status = await loadStatus(await openLook(settings));
  const proof = await auditNewest(settings, status.run_id);
  const { out, outColumns } = settings.streams;
  if (settings.json) {
    out(`${JSON.stringify(statusValue(status, proof))}\n`);
    return exitCodes.ok;
  }
  const columns = outColumns();
  const lines =
    columns === null
      ? [...renderStatusLines(status), ...proofLines(proof)]
      : [...renderStatusView(status), ...proofView(proof)];
  out(lines.map((line) => `${cutLine(line, columns)}\n`).join(''));
  await noteElsewhere(settings);
  return exitCodes.ok;
}
