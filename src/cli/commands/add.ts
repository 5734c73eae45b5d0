/** `runner add`: a new node below another, as a person's commit, or queued while a loop is at work. */
import { steer } from '../../app/person/queue.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printSteered } from '../steer-output.ts';
import { acceptanceOf, spotOf, textOf } from '../steer-options.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [parent = ''] = call.args;
  const title = textOf(call, 'title');
  if (title === null) {
    const hint = `runner add ${parent} --title <text>`;
    throw new RunnerError({ code: 'USAGE', message: '--title is missing', hint });
  }
  const node = {
    title,
    goal: textOf(call, 'goal') ?? title,
    acceptance: acceptanceOf(call) ?? [],
  };
  const project = await openPersonProject(settings);
  const edit = { kind: 'add' as const, parent, nodes: [node], ...spotOf(call) };
  printSteered(settings, 'add', await steer(project, { command: 'runner add', edit }));
  return exitCodes.ok;
}
