/** `runner pause`: asks a loop at work to stop after its iteration, here or in the work tree of a background run. */
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openPause } from '../wire/pause.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [runId = null] = call.args;
  const target = await openPause(settings, runId);
  const isAtWork = await target.request();
  const isDone = isAtWork && call.options['wait'] === true;
  if (isDone) await target.ended();
  const status = isDone ? 'paused' : isAtWork ? 'requested' : 'idle';
  const texts = {
    paused: 'the loop has stopped; continue with: runner loop',
    requested: 'the loop stops after its iteration; continue with: runner loop',
    idle: 'no loop is at work here; nothing to pause',
  };
  if (!settings.quiet) settings.streams.err(`${texts[status]}\n`);
  printLine(settings, `pause: run=${target.run_id ?? 'none'} status=${status}`, {
    command: 'pause',
    run_id: target.run_id,
    status,
  });
  return exitCodes.ok;
}
