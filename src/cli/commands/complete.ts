/**
 * The hidden command that shells call for completion: `complete -- <words after runner>`; the last word is being typed. Each
 * output line is a word, a tab and its description; `:files` or `:folders` asks the shell for paths. It prints no errors: a
 * person is typing.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { commandGroups, commandTable, commonOptions } from '../table/command-table.ts';
import { readLine } from '../completion/offer.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

export async function run({ streams, env, entryFile }: Settings, { args }: CommandCall): Promise<number> {
  const commands = { table: commandTable, common: commonOptions, groups: commandGroups };
  const { offer, typed, lead, folder } = readLine(commands, args);
  const words = [...offer.words];
  if (offer.ids !== 'none') {
    const { listIds } = await import('../completion/listed-ids.ts');
    const place = { folder: resolve(folder.replace(/^~(?=$|[/\\])/u, homedir)), env, entryFile };
    words.push(...(await listIds(offer.ids, place)));
  }
  const lines = words
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, means }) => `${lead}${word}\t${cleanLine(means)}\n`);
  if (offer.paths !== 'none') lines.push(`:${offer.paths}\n`);
  streams.out(lines.join(''));
  return exitCodes.ok;
}
