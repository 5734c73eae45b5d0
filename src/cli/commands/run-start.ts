/** `runner run start`: a run in the background, in a work tree of its own (§13). */
import { relative, resolve } from 'node:path';
import { hasTerminal, loadInput } from '../../adapters/processes/editor.ts';
import { beginRun } from '../../app/runs/begin-run.ts';
import type { BegunRun } from '../../app/runs/begin-run.ts';
import { configKeys } from '../../core/settings.js';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { askLine } from '../../adapters/processes/ask.ts';
import { printRun } from '../output/run-text.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openBegin, openStarter } from '../wire/background.ts';
import { workOn } from './run-work.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const { goal, name, push, wait } = call.options;
  const mayAsk = !settings.noInput && !settings.json && hasTerminal();
  const begun = await beginRun(await openBegin(settings, call), {
    goal:
      typeof goal === 'string' ? await loadInput(goal, settings.directory, 'runner run start --help') : null,
    goalFile:
      typeof goal === 'string' ? relative(settings.directory, resolve(settings.directory, goal)) : null,
    name: typeof name === 'string' ? name : null,
    isNew: call.options['new'] === true,
    push: typeof push === 'string' ? push : null,
    settings: variablesOf(call),
    by: 'cli',
    ask: mayAsk ? (proposal) => askLine('branch: runner/', proposal) : null,
  });
  const { record } = begun;
  tellPeople(settings, begun);
  if (wait === true) return workOn(settings, record.run_id, begun);
  await (await openStarter(settings)).start(record.run_id);
  printRun(settings, record, begun);
  if (!settings.quiet) settings.streams.err(`next: runner run show ${record.run_id} --follow\n`);
  return exitCodes.ok;
}

/** Flags hold as long as the run, so they are kept with it. */
function variablesOf({ overrides }: CommandCall): Readonly<Record<string, string>> {
  const given = overrides.flatMap(({ key, value }) => {
    const variable = configKeys.find((setting) => setting.key === key)?.variable;
    return variable === undefined ? [] : [[variable, String(value)] as const];
  });
  return Object.fromEntries(given);
}

function tellPeople({ quiet, streams }: Settings, { notes, laid, left_out }: BegunRun): void {
  if (quiet) return;
  const shown = (paths: readonly string[]): string => cleanLine(paths.join(', '));
  if (laid.length > 0)
    streams.err(`note: taken as they are on disk: ${shown(laid.map((path) => `.runner/${path}`))}\n`);
  for (const note of notes) streams.err(`note: ${cleanLine(note)}\n`);
  if (left_out.length > 0)
    streams.err(`warning: not included, because it is not committed: ${shown(left_out)}\n`);
}
