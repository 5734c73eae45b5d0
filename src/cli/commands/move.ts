/** `runner move`: an open node goes to another place, as a person's commit, or queued while a loop is at work. */
import { steer } from '../../app/person/queue.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printSteered } from '../steer-output.ts';
import { spotOf, textOf } from '../steer-options.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [node = ''] = call.args;
  const under = textOf(call, 'under');
  const spot = spotOf(call);
  if ((under ?? spot.before ?? spot.after) === null) {
    const hint = `runner move ${node} --under <parent>`;
    throw new RunnerError({ code: 'USAGE', message: 'no destination given', hint });
  }
  const project = await openPersonProject(settings);
  const edit = { kind: 'move', node, under, ...spot } as const;
  printSteered(settings, 'move', await steer(project, { command: 'runner move', edit }));
  return exitCodes.ok;
}
