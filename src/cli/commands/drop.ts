/** `runner drop`: takes an open node out of the tree, as a person's commit, or queued while a loop is at work. */
import { steer } from '../../app/person/queue.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printSteered } from '../steer-output.ts';
import { textOf } from '../steer-options.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [node = ''] = call.args;
  const why = (textOf(call, 'why') ?? '').trim();
  if (why === '') {
    const hint = `runner drop ${node} --why <text>`;
    throw new RunnerError({
      code: 'USAGE',
      message: '--why is missing; the reason is stored with the node',
      hint,
    });
  }
  const project = await openPersonProject(settings);
  const edit = { kind: 'drop', node, why } as const;
  printSteered(settings, 'drop', await steer(project, { command: 'runner drop', edit }));
  return exitCodes.ok;
}
