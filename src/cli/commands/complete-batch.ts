/** The hidden command that shells ask for batches of trials: id and time, one a line. Whatever is wrong, it says nothing: a person is typing. */
import { resolve } from 'node:path';
import { latestWord } from '../../eval/cases/names.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { evalPlace } from '../../eval/harness/place.ts';
import { evalResults } from '../../eval/harness/results.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [prefix = ''] = call.args;
  const place = evalPlace({ root: resolve(settings.directory), cases: null });
  const batches = await evalResults(place)
    .listBatches()
    .catch(() => []);
  const newest = batches.at(-1);
  const offered = [
    ...(newest === undefined ? [] : [[latestWord, newest.batch_id] as const]),
    ...batches.map(({ batch_id, created_at }) => [batch_id, created_at] as const),
  ];
  const lines = offered
    .filter(([id]) => id.startsWith(prefix))
    .map(([id, words]) => `${id}\t${cleanLine(words)}\n`);
  settings.streams.out(lines.join(''));
  return exitCodes.ok;
}
