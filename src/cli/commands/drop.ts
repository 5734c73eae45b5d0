/** `runner drop`: takes an open node out of the tree, as a person's commit, or queued while a loop is at work. */
import { steer } from '../../app/person/queue.ts';
import { RunnerError } from '../../core/errors.ts';
import { renderLeftWork } from '../../core/runs/left-work.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printSteered, sayTo } from '../steer-output.ts';
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
  const steered = await steer(project, { command: 'runner drop', edit });
  const left = steered.kind === 'queued' ? null : steered.left;
  printSteered(settings, 'drop', steered, left === null ? {} : { left });
  const isTop = ((await project.git?.locate())?.prefix ?? '') === '';
  for (const work of left ?? []) sayTo(settings, renderLeftWork(work, isTop));
  return exitCodes.ok;
}
