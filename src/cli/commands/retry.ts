/** `runner retry`: more attempts for an open leaf, as a person's commit, or queued while a contained loop is at work. */
import { nowOrQueued } from '../../app/person/queue.ts';
import { retry } from '../../app/person/retry.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { printQueued } from '../steer-output.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [word = ''] = call.args;
  const given = call.options['maxAttempts'];
  const project = await openPersonProject(settings);
  const maxAttempts = typeof given === 'number' ? given : null;
  const outcome = await nowOrQueued(project, {
    command: 'runner retry',
    now: () => retry(project, { word, maxAttempts }),
    later: () => Promise.resolve({ kind: 'retry', node: word, max_attempts: maxAttempts }),
  });
  if ('kind' in outcome) {
    printQueued(settings, 'retry', outcome);
    return exitCodes.ok;
  }
  const { run_id, id, attempts, max_attempts, commit } = outcome;
  if (!settings.quiet) {
    const left = max_attempts - attempts;
    const what = commit === null ? 'has' : 'now has';
    settings.streams.err(`${id} ${what} ${left} ${left === 1 ? 'attempt' : 'attempts'} left\n`);
  }
  printLine(
    settings,
    `retry: run=${run_id} node=${id} attempts=${attempts}/${max_attempts} commit=${commit ?? 'none'}`,
    { command: 'retry', ...outcome },
  );
  return exitCodes.ok;
}
