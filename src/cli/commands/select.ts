/** `runner select`: the next leaf, read-only. */
import { select } from '../../app/select.ts';
import { exitCodes } from '../exit-codes.ts';
import { printSelection } from '../report.ts';
import type { Settings } from '../streams.ts';
import { openState } from '../wire-state.ts';

export async function run(settings: Settings): Promise<number> {
  const selection = await select(await openState(settings));
  printSelection(settings, selection);
  if (selection.kind === 'complete') return exitCodes.complete;
  return selection.kind === 'stuck' ? exitCodes.stuck : exitCodes.ok;
}
