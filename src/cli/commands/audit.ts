/** `runner audit`: every transition of a run, derived again from git. */
import { rerunGuard } from '../../app/runs/rerun-guard.ts';
import { auditRun } from '../../app/runs/audit.ts';
import { findAudited } from '../../app/runs/audited-run.ts';
import { exitCodes } from '../exit-codes.ts';
import { auditValue, renderAudit } from '../output/audit-text.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openAudit } from '../wire/audit.ts';
import { openEnding } from '../wire/ending.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const ports = await openAudit(settings);
  const found = await findAudited(ports, call.args[0] ?? null);
  const audit = await auditRun(ports, { ...found, iterationsMax: null });
  const isAgain = call.options['rerunGuard'] === true && audit.verdict !== 'unproven';
  const reruns = isAgain ? await rerunGuard(await openEnding(settings, call, 'audit'), audit) : null;
  const lines = settings.json ? [JSON.stringify(auditValue(audit, reruns))] : renderAudit(audit, reruns);
  settings.streams.out(lines.map((line) => `${line}\n`).join(''));
  const isRed = reruns?.some(({ verdict }) => verdict === 'fail') === true;
  return audit.verdict === 'unproven' || isRed ? exitCodes.error : exitCodes.ok;
}
