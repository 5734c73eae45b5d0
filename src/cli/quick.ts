/**
 * Commands that hooks, editors and prompts call all the time, tried in a small program of their own that has only what they need when
 * all is well. Null stands for "run the whole program": nothing has been written then, and whatever is wrong is its to say.
 */
import { resolve } from 'node:path';
import type { CommandName } from './command-table.ts';
import { run as runSelect } from './commands/select.ts';
import { run as runStatus } from './commands/status.ts';
import { run as runValidate } from './commands/validate.ts';
import { readCommandLine } from './quick-line.ts';
import type { Settings } from './output/streams.ts';

const commands: ReadonlyMap<CommandName, (settings: Settings) => Promise<number>> = new Map([
  ['select', runSelect],
  ['status', runStatus],
  ['validate', runValidate],
]);

export async function runQuick(
  argv: readonly string[],
  around: Pick<Settings, 'env' | 'streams' | 'entryFile'>,
): Promise<number | null> {
  const call = readCommandLine(argv);
  const run = call === null ? undefined : commands.get(call.name);
  if (call === null || run === undefined) return null;
  const { json, quiet, verbose, noInput } = call;
  const texts: string[] = [];
  const streams = { ...around.streams, out: (text: string): void => void texts.push(text), err: refuse };
  const directory = resolve(call.directory);
  const settings = { ...around, streams, directory, json, quiet, verbose, noInput };
  // What is wrong is told by the whole program, which knows all the words.
  const code = await run(settings).catch(() => null);
  if (code !== null) around.streams.out(texts.join(''));
  return code;
}

function refuse(): never {
  throw new Error('what goes to stderr is for the whole program to say');
}
