/** `runner plan`: how much the run can still use at most, before it is used. */
import { loadLook } from '../../app/views/look.ts';
import { planSpending, renderSpending } from '../../core/views/spending.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openLook } from '../wire/looking.ts';

export async function run(settings: Settings): Promise<number> {
  const look = await loadLook(await openLook(settings));
  const plan = planSpending(look);
  const { run_id } = look.runState;
  const { open_leaves, attempts, iterations, seconds, tokens, cost_usd, expected } = plan;
  const most = `iterations=${iterations} seconds=${seconds} tokens=${word(tokens)} cost_usd=${word(cost_usd)}`;
  const line = `plan: run=${word(run_id)} leaves=${open_leaves} attempts=${attempts} ${most} expected_seconds=${word(expected.seconds)} expected_tokens=${word(expected.tokens)}`;
  printLine(settings, line, { command: 'plan', run_id, ...plan });
  if (!settings.json && !settings.quiet) settings.streams.err(`${renderSpending(plan)}\n`);
  return exitCodes.ok;
}
