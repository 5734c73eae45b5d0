/** `runner select`: the next leaf, read-only. */
import { select } from '../../app/views/select.ts';
import { exitCodes } from '../exit-codes.ts';
import { printSelection } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openState } from '../wire/state.ts';

export async function run(settings: Settings): Promise<number> {
  const selection = await select(await openState(settings));
  printSelection(settings, selection);
  if (selection.kind === 'complete') return exitCodes.complete;
  return selection.kind === 'stuck' ? exitCodes.stuck : exitCodes.ok;
}
